import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasUrl, linksOf, linkUrls, type ShareLink } from '../../../src/projections/subscription/links.js';
import { linkUrl } from '../../../src/projections/subscription/share-link.js';
import { aClient, aContext, inboundOf, tcp, unused } from './fixtures.js';
import { expectOneLine, filled, hostile, lined, vmessJson } from './hostile.js';

interface Parsed {
  user: string;
  host: string;
  port: number;
  params: Record<string, string>;
  name: string;
}

/** Parses a link like an app, as far as these properties need. */
function parsed(link: string): Parsed {
  const url = new URL(link);
  return {
    user: decodeURIComponent(url.username) + (url.password === '' ? '' : `:${decodeURIComponent(url.password)}`),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
    params: Object.fromEntries(url.searchParams),
    name: decodeURIComponent(url.hash.slice(1)),
  };
}

const inputs = fc.record({
  secret: filled,
  remark: hostile,
  email: filled,
  sni: hostile,
  path: hostile,
  host: hostile,
  port: fc.integer({ min: 1, max: 65_535 }),
});

describe('a parsed link contains the values of the inbound and the client', () => {
  it.each(['vless', 'trojan', 'hysteria2'] as const)('%s', (protocol) => {
    fc.assert(
      fc.property(inputs, ({ secret, remark, email, sni, path, host, port }) => {
        const stream = {
          network: 'ws',
          security: 'tls',
          tlsSettings: { serverName: sni, alpn: ['h2', 'http/1.1'] },
          wsSettings: { path, host },
          finalmask: { udp: [{ type: 'salamander', settings: { password: secret } }] },
        };
        const client = aClient({ identity: { email }, credential: { id: secret, password: secret, auth: secret } });
        const [link] = linksOf(inboundOf(protocol, stream, {}, { remark, port }), client, unused, aContext()) as [
          ShareLink,
        ];
        const url = linkUrl(link);
        expectOneLine(url);
        const { user, ...rest } = parsed(url);
        expect(user).toBe(secret);
        expect(rest).toStrictEqual({ host: 'panel.example.com', port, params: link.params, name: link.name });
        expect(link.name).not.toMatch(/[\p{Cc}%]/u);
        expect(link.name).toContain(
          email
            .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
            .replaceAll('%', '％')
            .trim(),
        );
        expect(link.params['sni'] ?? '').toBe(lined(sni));
        if (protocol !== 'hysteria2') {
          expect([link.params['path'] ?? '', link.params['host'] ?? '']).toStrictEqual([lined(path), lined(host)]);
        }
      }),
    );
  });

  it('vmess', () => {
    fc.assert(
      fc.property(inputs, ({ secret, remark, email, sni, path, host, port }) => {
        const stream = {
          network: 'httpupgrade',
          security: 'tls',
          tlsSettings: { serverName: sni },
          httpupgradeSettings: { path, host },
        };
        const client = aClient({ identity: { email }, credential: { id: secret } });
        const [link] = linksOf(inboundOf('vmess', stream, {}, { remark, port }), client, unused, aContext()) as [
          ShareLink,
        ];
        const url = linkUrl(link);
        expectOneLine(url);
        const json = vmessJson(url);
        expect(json).toMatchObject({ id: secret, add: 'panel.example.com', port: String(port), ps: link.name });
        const told = [json['sni'] ?? '', json['path'] ?? '', json['host'] ?? ''];
        expect(told).toStrictEqual([lined(sni), lined(path), lined(host)]);
      }),
    );
  });

  it('shadowsocks, classic and 2022', () => {
    fc.assert(
      fc.property(filled, filled, (secret, serverKey) => {
        const client = aClient({ credential: { password: secret } });
        const urlOf = (settings: object) =>
          linkUrls(linksOf(inboundOf('shadowsocks', tcp, settings), client, unused, aContext()))[0] ?? '';
        const classic = urlOf({ method: 'aes-128-gcm' });
        expectOneLine(classic);
        expect(Buffer.from(parsed(classic).user, 'base64url').toString()).toBe(`aes-128-gcm:${secret}`);
        fc.pre(lined(serverKey) !== '');
        const modern = urlOf({ method: '2022-blake3-aes-128-gcm', password: serverKey });
        expectOneLine(modern);
        expect(parsed(modern).user).toBe(`2022-blake3-aes-128-gcm:${lined(serverKey)}:${secret}`);
      }),
    );
  });

  it('has a host that every parser reads alike, or does not exist', () => {
    const hosts = fc.oneof(hostile, fc.ipV6(), fc.ipV4(), fc.domain(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(hosts, hosts, hosts, (host, listen, dest) => {
        const externalProxy = dest.length % 2 === 0 ? [] : [{ dest, port: 1 }];
        const inbound = inboundOf('trojan', { ...tcp, externalProxy }, {}, { listen });
        for (const link of linksOf(inbound, aClient(), unused, aContext({ host })).filter(hasUrl)) {
          const url = linkUrl(link);
          expectOneLine(url);
          // The parser writes an IPv6 address in its canonical form.
          const same = link.host.includes(':') ? new URL(`http://[${link.host}]`).hostname.slice(1, -1) : link.host;
          expect(parsed(url)).toMatchObject({ user: 'tr0jan-pass', host: same, port: link.port });
        }
      }),
    );
  });
});
