import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CoreStub } from '../../../kit/stub-core.js';
import { ADMIN, startPanel } from '../../kit/panel.js';
import { usualStatus } from '../../kit/status.js';
import { absent, otherPanels, threeXui } from './three-x-ui-routes.js';

const all = [...otherPanels, ...threeXui];
const isAbsent = (route: string): boolean => [...absent.keys()].some((like) => like.test(route));
const pair = async () => ({ seed: 's', verify: 'v', client: 'c' });
/** A core that generates no keys, but replies as if it did. */
const core: CoreStub = {
  process: { output: () => 'started' },
  config: { assemble: () => ({}) },
  keys: { mldsa65: pair, mlkem768: pair, vlessEncryption: async () => [] },
};

async function start() {
  const panel = await startPanel({ core });
  return { panel, browser: await panel.browser().login() };
}

describe('the routes of 3x-ui', () => {
  it('are available to an admin, except those omitted on purpose', async () => {
    const { browser } = await start();
    const statuses = new Map<string, number>();
    for (const route of all) {
      const [method = '', path = ''] = route.split(' ');
      const { status } = await browser.send(method, path, method === 'POST' ? {} : undefined);
      statuses.set(route, status);
    }
    const wrong = [...statuses].filter(([route, status]) => status !== (isAbsent(route) ? 404 : usualStatus(route)));
    expect(wrong).toStrictEqual([]);
    expect(statuses.size).toBe(all.length);
  });

  it('include a WebSocket', async () => {
    const { panel, browser } = await start();
    const socket = new WebSocket(`${panel.origin.replace('http', 'ws')}/ws`, { headers: { cookie: browser.cookie } });
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  });

  it('are omitted for reasons that still apply', () => {
    expect([...absent.keys()].filter((like) => !all.some((route) => like.test(route)))).toStrictEqual([]);
  });
});

describe('the path of 3x-ui programs is accepted for', () => {
  it('the certificate of the panel', async () => {
    const panel = await startPanel({ settings: { webCertFile: '/certs/a.pem', webKeyFile: '/certs/a.key' } });
    const browser = await panel.browser().login();
    const { json } = await browser.get('/panel/api/server/getWebCertFiles');
    expect(json?.obj).toStrictEqual({ webCertFile: '/certs/a.pem', webKeyFile: '/certs/a.key' });
  });

  it('the template of the core', async () => {
    const { panel, browser } = await start();
    const { json } = await browser.post('/panel/api/xray/update', {
      content: '{"outbounds":[{"protocol":"freedom"}]}',
    });
    expect(json).toMatchObject({ success: true });
    expect(panel.appended()).toMatchObject([{ type: 'CoreTemplateChanged' }]);
  });
});

describe('programs from before 3x-ui required a CSRF token', () => {
  it('can log in and read, but change nothing', async () => {
    const { panel } = await start();
    const { headers } = await panel.call('POST', '/login', { body: new URLSearchParams(ADMIN) });
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^3x-ui=/);
    const sent = { headers: { cookie: cookie.split(';')[0] ?? '' } };
    for (const path of ['/panel/api/inbounds/list', '/panel/api/server/status'])
      expect((await panel.call('GET', path, sent)).json).toMatchObject({ success: true });
    for (const path of ['/panel/api/inbounds/onlines', '/panel/api/inbounds/resetAllTraffics'])
      expect((await panel.call('POST', path, sent)).status).toBe(403);
    expect(panel.appended()).toStrictEqual([]);
  });
});
