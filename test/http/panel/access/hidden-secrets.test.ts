import { describe, expect, it } from 'vitest';
import { answersAt } from '../../../../src/http/panel/contract/moments.js';
import { defaultTemplate } from '../../../../src/projections/core/template.js';
import { found, panelWithSecrets, READERS, routes, SECRET } from '../../kit/panel-with-secrets.js';

const LEFT_OUT = /logout|csrf|\/sessions/;

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
