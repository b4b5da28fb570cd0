import type { JsonObject } from '../lib/json.js';

/**
 * The template around the inbounds when the admin set none. Private destinations are blocked, as the core itself does
 * by default, and peer-to-peer traffic too. It needs no geo files.
 */
export const defaultTemplate: JsonObject = {
  log: { access: 'none', dnsLog: false, error: '', loglevel: 'warning', maskAddress: '' },
  dns: { servers: ['localhost'], queryStrategy: 'UseIP', enableParallelQuery: false, tag: 'dns' },
  inbounds: [],
  outbounds: [
    { tag: 'direct', protocol: 'freedom', settings: { domainStrategy: 'AsIs' } },
    { tag: 'blocked', protocol: 'blackhole', settings: {} },
  ],
  policy: { levels: { '0': { handshake: 4, connIdle: 300 } }, system: {} },
  routing: {
    domainStrategy: 'AsIs',
    rules: [
      {
        type: 'field',
        outboundTag: 'blocked',
        ip: [
          '10.0.0.0/8',
          '100.64.0.0/10',
          '127.0.0.0/8',
          '169.254.0.0/16',
          '172.16.0.0/12',
          '192.168.0.0/16',
          '::1/128',
          'fc00::/7',
          'fe80::/10',
        ],
      },
      { type: 'field', outboundTag: 'blocked', protocol: ['bittorrent'] },
    ],
  },
};

/** Answers 204 to anybody; outbound tests ask it. */
export const defaultOutboundTestUrl = 'https://www.google.com/generate_204';
