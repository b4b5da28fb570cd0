import { hostname } from 'node:os';
import { ProviderError, type TunnelProvider } from '../../commands/ports/providers.js';
import type { Web } from '../../commands/ports/web.js';
import { isObject, textOf } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import { ask, providerMessage, textAt } from './ask.js';

/** The app version that the provider expects. */
const CLIENT = { 'cf-client-version': 'a-6.30-3596', 'content-type': 'application/json' };

/** A part of a stored registration, which may have been edited. Throws `ProviderError` for characters that a header cannot carry. */
function sendable(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new ProviderError(message('network.providerRegistrationDamaged'));
}

/** The registration interface of Cloudflare WARP at `base`, as its apps use it. */
export function tunnelProvider(web: Web, base: string, now: () => number): TunnelProvider {
  const of = (id: string): string => `${base}/reg/${encodeURIComponent(sendable(id))}`;
  const as = (token: string): Record<string, string> => ({ ...CLIENT, authorization: `Bearer ${sendable(token)}` });
  return {
    register: async (publicKey) => {
      const tos = new Date(now()).toISOString();
      const body = JSON.stringify({ key: publicKey, tos, type: 'PC', model: 'portolan', name: hostname() });
      const { json } = await ask(web, `${base}/reg`, { method: 'POST', headers: CLIENT, body });
      const device = {
        id: textAt(json, 'id'),
        token: textAt(json, 'token'),
        license: textAt(json, 'account', 'license'),
        clientId: isObject(json) && isObject(json['config']) ? textOf(json['config']['client_id']) : '',
      };
      return { device, answer: json as object };
    },
    config: async ({ id, token }) => (await ask(web, of(id), { headers: as(token) })).text,
    license: async ({ id, token }, license) => {
      const body = JSON.stringify({ license });
      const { json } = await ask(web, `${of(id)}/account`, { method: 'PUT', headers: as(token), body });
      if (!isObject(json) || json['success'] !== true)
        throw new ProviderError(providerMessage(json) ?? message('network.providerLicenseRefused'));
      return license;
    },
  };
}
