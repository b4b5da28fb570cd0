import { describe, expect, it } from 'vitest';
import { startPanel } from '../../kit/panel.js';

const LIST = '/panel/api/inbounds/list';
const TOKEN = 'T'.repeat(48);

const start = async () => {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
  const call = async (authorization: string, ip = '198.51.100.1', path = LIST) =>
    (await panel.call('GET', path, { headers: { authorization, 'x-forwarded-for': ip } })).status;
  const guess = async (times: number, ip?: string, path?: string) => {
    for (let n = 0; n < times; n += 1) expect(await call(`Bearer guess-${n}`, ip, path)).toBe(404);
  };
  return { panel, call, guess };
};

describe('guessing at the API token', () => {
  it('is blocked after 60 wrong tokens in a minute, for 15 minutes, and others are not affected', async () => {
    const { panel, call, guess } = await start();
    await guess(59);
    expect(await call(`Bearer ${TOKEN}`)).toBe(200);
    await guess(1);
    expect(await call(`Bearer ${TOKEN}`)).toBe(404);
    expect(await call(`Bearer ${TOKEN}`, '198.51.100.2')).toBe(200);
    expect(panel.log.read(0, 100).map(({ type }) => type)).toEqual(['UserCreated', 'ApiTokenIssued']);
    panel.later(15 * 60_000 + 1);
    expect(await call(`Bearer ${TOKEN}`)).toBe(200);
  });

  it('does not block a program that sends an old token now and then', async () => {
    const { panel, call, guess } = await start();
    for (let minute = 0; minute < 5; minute += 1) {
      await guess(20);
      panel.later(61_000);
    }
    expect(await call(`Bearer ${TOKEN}`)).toBe(200);
  });

  it('counts a request once, also on a path without the router, and an IPv6 /64 as one', async () => {
    const { call, guess } = await start();
    const [one, same] = ['2001:db8::1', '2001:db8::ffff:2'];
    await guess(59, one, '/panel/api/server/status');
    expect(await call(`Bearer ${TOKEN}`, same)).toBe(200);
    await guess(1, one, '/panel/api/server/status');
    expect(await call(`Bearer ${TOKEN}`, same)).toBe(404);
  });

  it('does not block the browser of the same address', async () => {
    const { panel, guess } = await start();
    const browser = await panel.browser().login();
    await guess(70, '127.0.0.1');
    expect((await browser.get(LIST, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });

  it('does not include requests without a Bearer token', async () => {
    const { call } = await start();
    for (let n = 0; n < 70; n += 1) await call(`Basic ${n}`);
    expect(await call(`Bearer ${TOKEN}`)).toBe(200);
  });
});

describe('the first read of the API token', () => {
  it('creates exactly one token for concurrent reads', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const position = panel.log.head().position;
    const read = () => browser.get('/panel/setting/getApiToken');
    const tokens = await Promise.all(Array.from({ length: 50 }, async () => (await read()).json?.obj));
    expect(new Set(tokens).size).toBe(1);
    expect(panel.log.read(position, 100).map(({ type }) => type)).toEqual(['ApiTokenIssued']);
  });
});
