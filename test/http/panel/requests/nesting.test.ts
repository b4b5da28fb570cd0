import { describe, expect, it } from 'vitest';
import { startPanel } from '../../kit/panel.js';

const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const lists = (levels: number) => `{"a":${'['.repeat(levels)}1${']'.repeat(levels)}}`;
const DEEP = [objects(65), lists(5000), objects(200_000)];
/** An allowed one. */
const nested: unknown = JSON.parse(objects(50));

const client = { id: crypto.randomUUID(), email: 'one', subId: 'abc' };
const sound = {
  ...{ enable: true, remark: 'home', port: 4433, protocol: 'vless' },
  settings: JSON.stringify({ clients: [client], decryption: 'none' }),
  streamSettings: '{"network":"tcp","security":"none"}',
  sniffing: '{"enabled":false}',
};
const start = async () => {
  const panel = await startPanel({ settings: { subJsonEnable: true } });
  const browser = await panel.browser().login();
  return { panel, browser };
};

describe('JSON that is nested deeper than 64 levels', () => {
  const inClient = (text: string) =>
    `{"id":1,"settings":${JSON.stringify(`{"clients":[{"id":"${client.id}","email":"two","x":${text}}]}`)}}`;
  const inbound = (name: string, text: string) => JSON.stringify({ ...sound, port: 4434, [name]: text });
  const places: readonly (readonly [string, (text: string) => string])[] = [
    ...['settings', 'streamSettings', 'sniffing'].flatMap((name) =>
      ['add', 'update/1', 'import'].map((route) => {
        const body = (text: string) => inbound(name, text);
        const wrapped = (text: string) => JSON.stringify({ data: body(text) });
        return [`/panel/api/inbounds/${route}`, route === 'import' ? wrapped : body] as const;
      }),
    ),
    ['/panel/api/inbounds/addClient', inClient],
    [`/panel/api/inbounds/updateClient/${client.id}`, inClient],
    ['/panel/core/update', (text) => JSON.stringify({ coreSetting: text })],
    ['/panel/setting/secret', (text) => JSON.stringify({ key: 'wgprov', value: text })],
    ['/panel/setting/secret', (text) => JSON.stringify({ key: 'vpnprov', value: text })],
    ...['subJsonMux', 'subJsonFragment'].map(
      (key) => ['/panel/setting/update', (text: string) => JSON.stringify({ [key]: text })] as const,
    ),
    ...['subJsonRules', 'subJsonNoises'].map(
      (key) => ['/panel/setting/update', (text: string) => JSON.stringify({ [key]: `[${text}]` })] as const,
    ),
  ];

  it.each(places)('is rejected with a message by %s', async (path, bodyOf) => {
    const { panel, browser } = await start();
    expect((await browser.post('/panel/api/inbounds/add', sound)).json).toMatchObject({ success: true });
    const before = panel.log.head().position;
    const headers = { cookie: browser.cookie, 'x-csrf-token': browser.token, 'content-type': 'application/json' };
    for (const text of DEEP) {
      const { status, json } = await panel.call('POST', path, { headers, body: bodyOf(text) });
      // A body that is too large is rejected for its size.
      expect([status, json?.success]).toEqual([status === 413 ? 413 : 200, false]);
      if (text.length < 60_000) expect(json?.msg).toMatch(/nested deeper than 64 levels/);
    }
    expect(panel.log.head().position).toBe(before);
    expect(panel.complaints).toEqual([]);
  });
});

describe('JSON that is nested exactly 64 levels deep', () => {
  const request = { request: { path: ['/'], headers: { Host: ['a'], 'X-Deep': [nested] } } };
  it.each([
    ['headers of tcp', { network: 'tcp', tcpSettings: { header: { type: 'http', ...request } } }],
    ['headers of ws', { network: 'ws', wsSettings: { path: '/x', headers: { Host: nested, 'X-Deep': nested } } }],
    ['the extra of xhttp', { network: 'xhttp', xhttpSettings: { path: '/x', extra: nested, headers: { a: nested } } }],
    ['masks', { network: 'tcp', finalmask: { udp: [{ type: 'salamander', settings: nested }], tcp: [nested] } }],
    [
      'a proxy',
      { network: 'tcp', externalProxy: [{ dest: 'a.example', port: 1, remark: '', forceTls: 'same', nested }] },
    ],
    ['sockets', { network: 'tcp', sockopt: nested }],
  ])('is accepted in every form: %s', async (_what, stream) => {
    const { panel, browser } = await start();
    const body = { ...sound, streamSettings: JSON.stringify({ security: 'none', ...stream }) };
    const { json } = await browser.post('/panel/api/inbounds/add', body);
    // The panel may reject it, but only with a message.
    if (json?.success !== true) return expect(json?.msg).toBeTruthy();
    for (const path of ['/sub/abc', '/json/abc', '/clash/abc', '/sub/abc?format=sing-box', '/sub/abc?html=1']) {
      const answer = await fetch(panel.subscriptions + path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect((await answer.text()).length).toBeLessThan(30_000);
    }
    expect((await browser.get('/panel/api/inbounds/list')).status).toBe(200);
    expect((await browser.get('/panel/api/inbounds/getSubLinks/abc')).status).toBe(200);
    expect(panel.complaints).toEqual([]);
  });
});
