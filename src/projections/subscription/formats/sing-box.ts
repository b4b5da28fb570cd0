import type { JsonObject } from '../../../lib/json.js';
import type { ShareLink } from '../share-link.js';
import { uniqueNames, wellFormed } from './members.js';
import { partition } from './shared.js';
import { singBoxOutbound } from './sing-box-outbound.js';

const TAKEN = ['proxy', 'auto', 'direct'];
const PROBE = 'https://www.gstatic.com/generate_204';

const LOG = { level: 'warn' };
const INBOUNDS = [
  {
    type: 'tun',
    tag: 'tun',
    address: ['172.19.0.1/30', 'fdfe:dcba:9876::1/126'],
    auto_route: true,
    strict_route: true,
  },
  { type: 'mixed', tag: 'mixed', listen: '127.0.0.1', listen_port: 2080 },
];
const LOCAL_DNS = { tag: 'local', type: 'local' };
const AT_HOME = { ip_is_private: true, outbound: 'direct' };
const WAY_OUT = { auto_detect_interface: true, default_domain_resolver: 'local' };

/** A profile for sing-box 1.12 and newer and its apps; null when no link can be said in it. */
export function singBoxProfile(links: readonly ShareLink[]): JsonObject | null {
  const { expressed } = partition(links, singBoxOutbound);
  if (expressed.length === 0) return null;
  const tags = uniqueNames(
    expressed.map(({ link }) => wellFormed(link.name)),
    TAKEN,
  );
  return {
    log: LOG,
    dns: {
      servers: [{ tag: 'remote', type: 'https', server: '1.1.1.1', detour: 'proxy' }, LOCAL_DNS],
      final: 'remote',
    },
    inbounds: INBOUNDS,
    outbounds: [
      { type: 'selector', tag: 'proxy', outbounds: ['auto', ...tags], default: 'auto' },
      { type: 'urltest', tag: 'auto', outbounds: [...tags], url: PROBE, interval: '3m', tolerance: 50 },
      ...expressed.map(({ as }, at) => ({ ...as, tag: tags[at] ?? '' })),
      { type: 'direct', tag: 'direct' },
    ],
    route: {
      rules: [{ action: 'sniff' }, { protocol: 'dns', action: 'hijack-dns' }, AT_HOME],
      final: 'proxy',
      ...WAY_OUT,
    },
  };
}

/** A profile without a server: it lets nothing out, rather than past the proxy. */
export function emptySingBoxProfile(): JsonObject {
  return {
    log: LOG,
    dns: { servers: [LOCAL_DNS] },
    inbounds: INBOUNDS,
    outbounds: [{ type: 'direct', tag: 'direct' }],
    route: { rules: [AT_HOME, { action: 'reject' }], ...WAY_OUT },
  };
}
