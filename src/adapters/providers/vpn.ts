import type { VpnProvider } from '../../commands/ports/providers.js';
import type { Web } from '../../commands/ports/web.js';
import { isObject } from '../../lib/json.js';
import { ask, textAt } from './ask.js';

/** WireGuard, as the provider numbers its technologies. */
const WIREGUARD = 35;

/** The public interface of NordVPN at `base`. */
export function vpnProvider(web: Web, base: string): VpnProvider {
  return {
    countries: async () => (await ask(web, `${base}/v1/countries`, {})).text,
    servers: async (country) => {
      const filters = `filters[servers_technologies][id]=${WIREGUARD}&filters[country_id]=${country}`;
      const { json } = await ask(web, `${base}/v2/servers?limit=0&${filters}`, {});
      return JSON.stringify(isObject(json) ? { ...json, servers: byLoad(json['servers']) } : { servers: [] });
    },
    privateKey: async (token) => {
      const authorization = `Basic ${Buffer.from(`token:${token}`).toString('base64')}`;
      const { json } = await ask(web, `${base}/v1/users/services/credentials`, { headers: { authorization } });
      return textAt(json, 'nordlynx_private_key');
    },
  };
}

/** All of them, the least busy first. */
function byLoad(servers: unknown): readonly unknown[] {
  const all = Array.isArray(servers) ? (servers as readonly unknown[]) : [];
  return all.toSorted((a, b) => loadOf(a) - loadOf(b));
}

/** In percent. Servers without a value come last. */
function loadOf(server: unknown): number {
  const load = isObject(server) ? server['load'] : null;
  return typeof load === 'number' ? load : 101;
}
