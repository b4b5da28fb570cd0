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
const PRIVATE_DIRECT = { ip_is_private: true, outbound: 'direct' };
const ROUTE_DEFAULTS = { auto_detect_interface: true, default_domain_resolver: 'local' };

/** A profile for sing-box 1.12 and newer; null if it supports none of the links. */
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
      rules: [{ action: 'sniff' }, { protocol: 'dns', action: 'hijack-dns' }, PRIVATE_DIRECT],
      final: 'proxy',
      ...ROUTE_DEFAULTS,
    },
  };
}

/** A profile without servers. It blocks all traffic, so that none bypasses the proxy. */
export function emptySingBoxProfile(): JsonObject {
  return {
    log: LOG,
    dns: { servers: [LOCAL_DNS] },
    inbounds: INBOUNDS,
    outbounds: [{ type: 'direct', tag: 'direct' }],
    route: { rules: [PRIVATE_DIRECT, { action: 'reject' }], ...ROUTE_DEFAULTS },
  };
}
