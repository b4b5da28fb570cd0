import { describe, expect, it } from 'vitest';
import { linkConfig } from '../../../src/projections/subscription/link-config.js';
import { inboundOf } from './fixtures.js';
import { cases, linksOfCase } from './matrix.js';

describe('the part of a configuration that links contain', () => {
  it('gives the same links for every protocol, transport and security', () => {
    for (const one of cases()) {
      const { inbound } = one;
      const reduced = { ...one, inbound: { ...inbound, config: linkConfig(inbound.config) } };
      expect(JSON.stringify(linksOfCase(reduced)), one.name).toBe(JSON.stringify(linksOfCase(one)));
    }
  });

  it('has no private key and no password that a client does not have', () => {
    const stream = {
      network: 'tcp',
      tlsSettings: {
        serverName: 'a.test',
        certificates: [{ keyFile: '/k', key: ['SECRET'] }],
        echServerKeys: 'SECRET',
      },
      realitySettings: { privateKey: 'SECRET', mldsa65Seed: 'SECRET', shortIds: ['ab'], settings: { publicKey: 'p' } },
      xhttpSettings: { downloadSettings: { realitySettings: { privateKey: 'SECRET', serverName: 'b.test' } } },
      sockopt: { unknown: 'SECRET' },
    };
    const settings = {
      ...{ decryption: 'SECRET', encryption: 'none', secretKey: 'SECRET', method: 'aes-256-gcm', password: 'SECRET' },
      accounts: [{ user: 'a', pass: 'SECRET' }],
      fallbacks: [{ dest: 8001, path: 'SECRET' }],
    };
    const text = JSON.stringify(linkConfig(inboundOf('vless', stream, settings).config));
    expect(text).not.toContain('SECRET');
    expect(text).not.toContain('/k');
    for (const kept of ['a.test', 'b.test', '"ab"', '8001']) expect(text).toContain(kept);
  });
});
