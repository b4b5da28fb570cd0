import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { answersAt } from '../../../../src/http/panel/contract/moments.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { defaultTemplate } from '../../../../src/projections/core/template.js';
import { startPanel } from '../../kit/panel.js';

/** A value for each secret, which occurs nowhere else. */
const SECRET = {
  uuid: 'b8c1d2e3-6324-4d53-ad4f-8cdaaaaaaaaa',
  subId: 'canary-subscription',
  realityKey: 'yCanaryRealityKeyQz3mEaRZ8CpXrK8mCv8fS2rGQ0',
  seed: 'canary-mldsa-seed',
  tlsKey: 'canary-tls-key-line',
  trojan: 'canary-trojan-password',
  account: 'canary-account-password',
  outbound: 'canary-outbound-password',
  wireguard: 'canary-wireguard-key',
  vmess: 'c9d2e3f4-6324-4d53-ad4f-8cdbbbbbbbbb',
  vless: 'd0e3f4a5-6324-4d53-ad4f-8cdccccccccc',
  spelled: 'canary-wireguard-key-spelled-otherwise',
  webhook: 'canary-webhook-path',
} as const;

const routes = Object.values(tables).flatMap((table): Route[] => Object.values(table));
const READERS = ['auditor', 'looker'];

async function panelWithSecrets() {
  const panel = await startPanel();
  const owner = await panel.browser().login();
  const must = async (path: string, body: object) => {
    const answer = await owner.post(path, body);
    expect(answer.json, answer.text).toMatchObject({ success: true });
  };
  const inbound = (over: object) => ({
    ...{ enable: true, remark: 'r', protocol: 'vless', port: 2443, sniffing: '{"enabled":false}' },
    streamSettings: '{"network":"tcp","security":"none"}',
    ...over,
  });
  const client = { id: SECRET.uuid, email: 'ann', subId: SECRET.subId, enable: true };
  await must('/panel/api/inbounds/add', {
    ...inbound({ settings: JSON.stringify({ decryption: 'none', clients: [client] }) }),
    streamSettings: JSON.stringify({
      ...{ network: 'tcp', security: 'reality' },
      realitySettings: {
        ...{ target: 'example.org:443', serverNames: ['example.org'], shortIds: ['ab'] },
        ...{ privateKey: SECRET.realityKey, mldsa65Seed: SECRET.seed },
        settings: { publicKey: 'public-key-of-reality', fingerprint: 'chrome' },
      },
    }),
  });
  await must(
    '/panel/api/inbounds/add',
    inbound({
      ...{ protocol: 'trojan', port: 2444 },
      settings: JSON.stringify({ clients: [{ password: SECRET.trojan, email: 'bob', enable: true }] }),
      streamSettings: JSON.stringify({
        ...{ network: 'tcp', security: 'tls' },
        tlsSettings: { certificates: [{ certificate: ['public line'], key: [SECRET.tlsKey] }] },
      }),
    }),
  );
  const accounts = [{ user: 'sue', pass: SECRET.account }];
  const settings = JSON.stringify({ auth: 'password', accounts });
  await must('/panel/api/inbounds/add', inbound({ protocol: 'socks', port: 2445, settings }));
  const template = defaultTemplate as { readonly outbounds?: readonly object[] };
  const outbounds = [
    ...(template.outbounds ?? []),
    {
      ...{ tag: 'far', protocol: 'trojan' },
      settings: { servers: [{ address: '198.51.100.2', port: 443, password: SECRET.outbound }] },
    },
    {
      tag: 'wg',
      protocol: 'wireguard',
      settings: { secretKey: SECRET.wireguard, address: ['10.0.0.2/32'], peers: [] },
    },
    {
      tag: 'wg2',
      protocol: 'wireguard',
      settings: { SecretKey: SECRET.spelled, address: ['10.0.0.3/32'], peers: [] },
    },
    {
      tag: 'vm',
      protocol: 'vmess',
      settings: { address: '198.51.100.3', port: 443, id: SECRET.vmess, security: 'auto' },
    },
    {
      tag: 'vl',
      protocol: 'vless',
      settings: { vnext: [{ address: '198.51.100.4', port: 443, users: [{ id: SECRET.vless }] }] },
    },
  ];
  const xraySetting = JSON.stringify({ ...template, outbounds });
  await must('/panel/api/xray/update', { xraySetting });
  const url = `https://hooks.example/${SECRET.webhook}`;
  await must('/panel/api/webhooks/add', { name: 'shop', url, types: [] });
  const grants = routes.flatMap(({ permission }) => {
    if (permission === null || permission.resource === 'tokens') return [];
    // To check the core configuration, or to restart the core, does not need its secrets.
    const isRun = permission.resource === 'core' && permission.action === 'run';
    return permission.action === 'read' || isRun ? [`${permission.resource}:${permission.action}` as const] : [];
  });
  const named = [...new Set(grants)].map((permission) => ({ permission, scope: 'all' as const }));
  panel.given({ type: 'DefineRole', data: { role: 'looker', grants: named } });
  for (const role of [...READERS, 'operator', 'support']) {
    const data = {
      username: role,
      passwordHash: 'plain long enough',
      access: { role, inbounds: [], quotas: NO_QUOTAS },
    };
    panel.given({ type: 'CreateUser', data });
  }
  return { panel, owner, as: (username: string) => panel.browser().login({ username, password: 'long enough' }) };
}

const LEFT_OUT = /logout|csrf|\/sessions/;
const found = (text: string): readonly string[] =>
  Object.entries(SECRET).flatMap(([name, value]) => (text.includes(value) ? [name] : []));

describe('a role that reads a document and cannot change it', () => {
  it.each(READERS)(
    'as %s gets no secret of it by any route, also of an earlier moment',
    { timeout: 120_000 },
    async (role) => {
      const { as, panel } = await panelWithSecrets();
      const reader = await as(role);
      const leaks: string[] = [];
      let read = 0;
      for (const route of routes) {
        if (route.auth === 'none' || LEFT_OUT.test(route.path)) continue;
        for (const value of route.path.includes(':') ? ['1', '2', 'ann', 'bob'] : ['']) {
          const path = route.path.replaceAll(/:\w+/g, (name) => (name === ':id' ? (value === '2' ? '2' : '1') : value));
          const head = panel.log.head().position;
          const queries = [
            '',
            ...(answersAt(route) ? [`?at=${head}`] : []),
            ...(path.endsWith('diff') ? ['?from=1'] : []),
          ];
          for (const query of queries) {
            const { status, text } = await reader.send(
              route.method,
              path + query,
              route.method === 'POST' ? {} : undefined,
            );
            if (status === 200) read += 1;
            leaks.push(...found(text).map((name) => `${name} in ${route.method} ${path}${query}`));
          }
        }
      }
      for (const path of ['/panel/api/xray/check', '/panel/core/check']) {
        const { text } = await reader.post(path, { xraySetting: JSON.stringify(defaultTemplate) });
        leaks.push(...found(text).map((name) => `${name} in ${path}`));
      }
      expect(leaks).toStrictEqual([]);
      expect(read).toBeGreaterThan(60);
    },
  );

  it('gets the rest of the document, and finds clients by their names only', async () => {
    const { as } = await panelWithSecrets();
    const auditor = await as('auditor');
    const object = async (path: string) => ((await auditor.get(path)).json as { obj: Record<string, string> }).obj;
    const reality = await object('/panel/api/inbounds/get/1');
    expect(JSON.parse(reality['settings'] ?? '')).toMatchObject({
      decryption: 'none',
      clients: [{ id: '***', email: 'ann', subId: '', enable: true }],
    });
    expect(JSON.parse(reality['streamSettings'] ?? '')).toMatchObject({
      realitySettings: { privateKey: '***', mldsa65Seed: '***', settings: { publicKey: 'public-key-of-reality' } },
    });
    const tls = await object('/panel/api/inbounds/get/2');
    expect(JSON.parse(tls['streamSettings'] ?? '')).toMatchObject({
      tlsSettings: { certificates: [{ certificate: ['public line'], key: ['***'] }] },
    });
    const socks = await object('/panel/api/inbounds/get/3');
    expect(JSON.parse(socks['settings'] ?? '')).toMatchObject({
      auth: 'password',
      accounts: [{ user: 'sue', pass: '***' }],
    });
    expect(await object('/panel/api/clients/links')).toMatchObject({
      clients: [
        { email: 'ann', links: [] },
        { email: 'bob', links: [] },
      ],
    });
    const search = async (text: string) => (await object(`/panel/api/clients/page?search=${text}`))['matched'];
    expect(await search(SECRET.uuid.slice(0, 6))).toBe(0);
    expect(await search(SECRET.subId.slice(0, 9))).toBe(0);
    expect(await search('an')).toBe(1);
  });

  it('is another one than a role that can change it', async () => {
    const { as, owner } = await panelWithSecrets();
    const operator = await as('operator');
    const all = Object.keys(SECRET);
    for (const [who, paths] of [
      [
        operator,
        ['/panel/api/inbounds/list', '/panel/api/clients/links', '/panel/api/xray/', '/panel/api/webhooks/list'],
      ],
      [owner, ['/panel/api/inbounds/list', '/panel/api/clients/links', '/panel/api/xray/', '/panel/api/webhooks/list']],
    ] as const) {
      const texts: string[] = [];
      for (const path of paths)
        texts.push(
          (await who.send(path.endsWith('xray/') ? 'POST' : 'GET', path, path.endsWith('xray/') ? {} : undefined)).text,
        );
      expect(found(texts.join('\n'))).toStrictEqual(all);
    }
    const support = await as('support');
    expect(found((await support.get('/panel/api/clients/links')).text)).toStrictEqual(['uuid', 'trojan']);
  });
});
