import type { JsonObject } from '../../lib/json.js';
import { privateNetworks } from '../../lib/net/private-networks.js';

/**
 * The template around the inbounds when the admin set none. Private destinations are blocked, and peer-to-peer traffic
 * too. It needs no geo files. A routing rule sees addresses only; the rule of the outbound sees what a name led to.
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

/** Answers 204 to anybody; outbound tests ask it. */
export const defaultOutboundTestUrl = 'https://www.google.com/generate_204';
