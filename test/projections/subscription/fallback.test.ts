import { describe, expect, it } from 'vitest';
import { InboundId } from '../../../src/events/ids.js';
import { behindFront } from '../../../src/projections/subscription/fallback.js';
import { id, inboundOf, tcp, tls, urlsOf } from './fixtures.js';

const ws = { network: 'ws', security: 'none', wsSettings: { path: '/w' } };

function child(listen: string) {
  return inboundOf('vless', ws, {}, { id: InboundId.parse(2), listen, port: 8001 });
}

function front(dest: unknown) {
  return inboundOf('vless', { ...tcp, ...tls }, { fallbacks: [{ dest: 80 }, { dest }] }, { listen: '203.0.113.5' });
}

describe('an inbound behind a fallback', () => {
  it.each([
    ['@child', '@child'],
    ['/run/child.sock', '/run/child.sock'],
    ['127.0.0.1', 8001],
    ['127.0.0.1', '8001'],
    ['127.0.0.1', '127.0.0.1:8001'],
    ['localhost', '127.0.0.1:8001'],
    ['::1', '[::1]:8001'],
  ])(
    'on %s, reached by the fallback %s, has the address and the TLS settings of the inbound in front',
    (listen, dest) => {
      const inbounds = [child(listen), front(dest)];
      expect(urlsOf(behindFront(child(listen), inbounds))).toStrictEqual([
        `vless://${id}@203.0.113.5:443?alpn=http%2F1.1&encryption=none&fp=chrome&path=%2Fw&security=tls&sni=cdn.example.com&type=ws#DE-1-alice`,
      ]);
    },
  );

  it.each(['', '0.0.0.0', '::', '198.51.100.7'])('is unchanged if it listens on "%s" on all addresses', (listen) => {
    const open = child(listen);
    expect(behindFront(open, [front(8001)])).toBe(open);
  });

  it.each([[undefined], [null], ['@other'], [{}]])('is unchanged if no fallback leads to it: %s', (dest) => {
    const alone = child('@child');
    expect(behindFront(alone, [front(dest), alone])).toBe(alone);
  });
});
