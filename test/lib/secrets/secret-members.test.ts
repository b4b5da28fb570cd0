import { describe, expect, it } from 'vitest';
import { NodeId } from '../../../src/events/ids.js';
import { NodeInboundApplied } from '../../../src/events/node/node-sync.js';
import { withoutSecrets } from '../../../src/http/panel/visible/secrets.js';
import { Redaction } from '../../../src/projections/capsule/redaction.js';
import { publicJson, withoutServerMembers } from '../../../src/projections/subscription/fields.js';
import { one } from '../../kit/builders.js';
import { recorded } from '../../kit/spec.js';

/** Documents as admins write them. Texts that begin with `server-` or `shared-` are secrets of that kind; `open-` is not secret. */
const DOCUMENTS: Readonly<Record<string, object>> = {
  reality: {
    network: 'tcp',
    security: 'reality',
    realitySettings: {
      ...{ privateKey: 'server-1', mldsa65Seed: 'server-2', target: 'open-1', settings: { publicKey: 'open-2' } },
    },
  },
  tls: {
    network: 'ws',
    security: 'tls',
    tlsSettings: { certificates: [{ certificate: ['line'], key: ['server-1'] }], ECHServerKeys: 'server-2' },
    wsSettings: { headers: { Authorization: 'shared-1', 'X-Own-Login': ['shared-2'], 'User-Agent': 'open-1' } },
  },
  vless: {
    settings: { decryption: 'server-1', encryption: 'open-1', clients: [{ id: 'shared-1', email: 'a', flow: '' }] },
  },
  shadowsocks: {
    settings: { method: '2022-blake3-aes-128-gcm', password: 'shared-1', clients: [{ password: 'shared-2' }] },
  },
  hysteria: {
    settings: { clients: [{ auth: 'shared-1', email: 'b' }] },
    obfs: { type: 'salamander', password: 'shared-2' },
  },
  socks: { settings: { auth: 'password', accounts: [{ user: 'c', pass: 'shared-1' }] } },
  wireguard: {
    settings: { SecretKey: 'server-1', peers: [{ publicKey: 'open-1', preSharedKey: 'shared-1', endpoint: 'open-2' }] },
  },
  kcp: { network: 'kcp', kcpSettings: { seed: 'shared-1' } },
  proxy: {
    protocol: 'http',
    settings: {
      servers: [{ address: 'open-1', port: 3128, users: [{ user: 'd', pass: 'shared-1' }] }],
      headers: { 'Proxy-Authorization': 'shared-2', cookie: 'shared-3', Host: 'open-2' },
    },
  },
};

/** The same documents in the other forms in which they are sent: with other cases of names, and as texts. */
const spelled = (value: unknown, change: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => spelled(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), spelled(member, change)]));
};
const first = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const textsIn = (value: unknown, kind: string): readonly string[] =>
  JSON.stringify(value)?.match(new RegExp(`\\b${kind}-\\d`, 'g')) ?? [];
const forReader = (value: object): unknown =>
  withoutSecrets(value, { permission: { resource: 'inbounds', action: 'read' } });

describe.each(Object.entries(DOCUMENTS))('the secrets of %s', (_, document) => {
  it('are hidden from a reader, who gets the rest', () => {
    const shown = forReader(document);
    expect(textsIn(shown, '(server|shared)')).toStrictEqual([]);
    expect(textsIn(shown, 'open')).toStrictEqual(textsIn(document, 'open'));
    expect(textsIn(forReader({ text: JSON.stringify(document) }), '(server|shared)')).toStrictEqual([]);
  });

  it('are not in a bug report, even if they are words of the configuration or figures', () => {
    for (const word of ['tcp', 'chrome', '12345', '2024-05-06']) {
      const made = JSON.parse(JSON.stringify(document).replaceAll(/"(server|shared)-\d"/g, JSON.stringify(word)));
      const secrets = JSON.stringify(document).match(/"(server|shared)-\d"/g) ?? [];
      const count = (value: unknown): number => JSON.stringify(value).split(`"${word}"`).length - 1;
      const before = count(made);
      expect(secrets.length).toBeGreaterThan(0);
      expect(count(new Redaction().value(made, 'config'))).toBe(before - secrets.length);
    }
  });

  it('are not in what apps of clients get, if only the server may know them', () => {
    for (const own of [document, spelled(document, first), spelled(document, (name) => name.toUpperCase())]) {
      expect(textsIn(publicJson(own), 'server')).toStrictEqual([]);
      expect(textsIn(withoutServerMembers(own as object), 'server')).toStrictEqual([]);
    }
    expect(textsIn(withoutServerMembers(document), 'shared')).toStrictEqual(textsIn(document, 'shared'));
  });

  it('are hidden whatever the case of the names', () => {
    // The names of an account are those of the panel.
    const other = spelled(document, (name) => (name === 'id' || name === 'email' ? name : first(name)));
    expect(textsIn(forReader(other as object), '(server|shared)')).toStrictEqual([]);
  });
});

describe('the user info of a URL', () => {
  it.each([
    ['https://ann:secret@dns.example/dns-query', 'https://***@dns.example/dns-query'],
    ['https+local://ann:se@cret@dns.example', 'https+local://***@dns.example'],
    [
      'two: http://a:b@c.example and http://token@d.example/x?y=1',
      'two: http://***@c.example and http://***@d.example/x?y=1',
    ],
    ['https://host.example/@user?mail=a@b.example', 'https://host.example/@user?mail=a@b.example'],
    ['ann@mail.example', 'ann@mail.example'],
  ])('is hidden from a reader: %s', (text, shown) => {
    expect(forReader({ servers: [text] })).toStrictEqual({ servers: [shown] });
    expect(forReader({ text: JSON.stringify({ address: text }) })).toStrictEqual({
      text: JSON.stringify({ address: shown }),
    });
  });
});

describe('a value that names a method', () => {
  it('is not a secret', () => {
    expect(forReader({ auth: 'password', nested: { decryption: 'none', encryption: 'none' } })).toStrictEqual({
      auth: 'password',
      nested: { decryption: 'none', encryption: 'none' },
    });
    expect(forReader({ auth: 'noauth' })).toStrictEqual({ auth: 'noauth' });
  });

  it('is a secret in an account, whatever it is', () => {
    expect(forReader({ auth: 'password', email: 'a' })).toStrictEqual({ auth: '***', email: 'a' });
  });
});

describe('the digest of what a node has', () => {
  it('is not in a bug report, because it is one of passwords', () => {
    const told = { node: NodeId.parse(1), inbound: one, tag: 'far', position: 2, newClients: [], newInbound: false };
    const [event] = recorded([NodeInboundApplied({ ...told, digest: 'b5bb9d8014a0f9b1d61e' })]);
    const written = event && new Redaction().event(event);
    expect(written?.type).toBe('NodeInboundApplied');
    expect(JSON.stringify(written)).not.toContain('b5bb9d8014a0f9b1d61e');
  });
});
