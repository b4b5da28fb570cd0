import type { JsonObject } from '../../lib/json.js';
import { privateNetworks } from '../../lib/net/private-networks.js';

/**
 * The default template. It blocks private destinations and peer-to-peer traffic, and needs no geo files. The routing rule
 * matches only addresses; the rule of the outbound also matches the addresses that a name resolves to.
 */
export const defaultTemplate: JsonObject = {
  log: { access: 'none', dnsLog: false, error: '', loglevel: 'warning', maskAddress: '' },
  dns: { servers: ['localhost'], queryStrategy: 'UseIP', enableParallelQuery: false, tag: 'dns' },
  inbounds: [],
  outbounds: [
    {
      tag: 'direct',
      protocol: 'freedom',
      settings: { domainStrategy: 'AsIs', finalRules: [{ action: 'block', ip: privateNetworks }] },
    },
    { tag: 'blocked', protocol: 'blackhole', settings: {} },
  ],
  policy: { levels: { '0': { handshake: 4, connIdle: 300 } }, system: {} },
  routing: {
    domainStrategy: 'AsIs',
    rules: [
      {
        type: 'field',
        outboundTag: 'blocked',
        ip: privateNetworks,
      },
      { type: 'field', outboundTag: 'blocked', protocol: ['bittorrent'] },
    ],
  },
};

/** The default URL of outbound tests; it answers with status 204. */
export const defaultOutboundTestUrl = 'https://www.google.com/generate_204';
