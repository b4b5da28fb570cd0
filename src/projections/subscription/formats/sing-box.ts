import type { JsonObject } from '../../../lib/json.js';
import type { ShareLink } from '../share-link.js';
import { sorted } from './dialect.js';
import { uniqueNames, wellFormed } from './members.js';
import { singBoxOutbound } from './sing-box-outbound.js';

const TAKEN = ['proxy', 'auto', 'direct'];
const PROBE = 'https://www.gstatic.com/generate_204';

/** A profile for sing-box 1.12 and newer and its apps; null when no link can be said in it. */
export function singBoxProfile(links: readonly ShareLink[]): JsonObject | null {
  const { said } = sorted(links, singBoxOutbound);
  if (said.length === 0) return null;
  const tags = uniqueNames(
    said.map(({ link }) => wellFormed(link.name)),
    TAKEN,
  );
  return {
    log: { level: 'warn' },
    dns: {
      servers: [
        { tag: 'remote', type: 'https', server: '1.1.1.1', detour: 'proxy' },
        { tag: 'local', type: 'local' },
      ],
      final: 'remote',
    },
    inbounds: [
      {
        type: 'tun',
        tag: 'tun',
        address: ['172.19.0.1/30', 'fdfe:dcba:9876::1/126'],
        auto_route: true,
        strict_route: true,
      },
      { type: 'mixed', tag: 'mixed', listen: '127.0.0.1', listen_port: 2080 },
    ],
    outbounds: [
      { type: 'selector', tag: 'proxy', outbounds: ['auto', ...tags], default: 'auto' },
      { type: 'urltest', tag: 'auto', outbounds: [...tags], url: PROBE, interval: '3m', tolerance: 50 },
      ...said.map(({ as }, at) => ({ ...as, tag: tags[at] ?? '' })),
      { type: 'direct', tag: 'direct' },
    ],
    route: {
      rules: [
        { action: 'sniff' },
        { protocol: 'dns', action: 'hijack-dns' },
        { ip_is_private: true, outbound: 'direct' },
      ],
      final: 'proxy',
      auto_detect_interface: true,
      default_domain_resolver: 'local',
    },
  };
}
