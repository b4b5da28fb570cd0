import { describe, expect, it } from 'vitest';
import { clientAdded, draft } from '../../../kit/builders.js';
import { ADMIN, startPanel } from '../../kit/panel.js';

const COMPOSED = 'zo\u00eb';
const DECOMPOSED = 'zoe\u0308';
const text = (clients: readonly object[]) => JSON.stringify({ clients, decryption: 'none' });
const client = (n: number, email: string, more: object = {}) => {
  const id = `11111111-2222-4333-8444-00000000000${n}`;
  return { id, email, subId: `sub-${n}`, enable: true, ...more };
};
const inbound = (port: number, more: object = {}) => ({
  ...{ enable: true, port, protocol: 'vless', settings: text([]), streamSettings: '{"network":"tcp"}' },
  ...more,
});

async function start() {
  const panel = await startPanel();
  const browser = await panel.browser().login();
  expect((await browser.post('/panel/api/inbounds/add', inbound(20_443))).json?.success).toBe(true);
  const add = async (...clients: object[]) =>
    (await browser.post('/panel/api/inbounds/addClient', { id: 1, settings: text(clients) })).json;
  return { panel, browser, add };
}

describe('emails', () => {
  it('have one normalized spelling, and are found by any spelling', async () => {
    const { panel, browser, add } = await start();
    expect((await add(client(1, DECOMPOSED)))?.success).toBe(true);
    expect([...panel.read.clients.all()].map(({ identity }) => identity.email)).toEqual([COMPOSED]);
    expect(await add(client(2, COMPOSED))).toMatchObject({ success: false });
    expect(await add(client(2, DECOMPOSED))).toMatchObject({ success: false });
    for (const email of [COMPOSED, DECOMPOSED]) {
      const path = `/panel/api/inbounds/getClientTraffics/${encodeURIComponent(email)}`;
      expect((await browser.get(path)).json).toMatchObject({ success: true, obj: { email: COMPOSED } });
    }
  });

  it.each([
    ['U+200B', 'a\u200bnn'],
    ['U+202E', 'nna\u202e'],
    ['U+FE0F', 'ann\ufe0f'],
  ])('have no %s', async (code, email) => {
    const { add } = await start();
    const why = `it contains ${code}, which is invisible or changes the direction of the text`;
    const answer = await add(client(1, email));
    expect(answer).toMatchObject({ success: false, msg: expect.stringContaining(why) });
    expect(await add(client(1, 'ann', { subId: `x${email}` }))).toMatchObject({
      msg: expect.stringContaining(`its subId contains ${code}`),
    });
  });

  it('have letters of one writing direction only', async () => {
    const { add } = await start();
    expect((await add(client(1, 'a\u05d0nn')))?.msg).toContain('it contains U+05D0, which is invisible');
    expect((await add(client(1, '\u05d0', { subId: 'sub-\u05d0' })))?.success).toBe(true);
  });

  it('stay unchanged if they were imported from another panel', async () => {
    const { panel, browser } = await start();
    const strange = 'a\u200bnn';
    panel.log.append([clientAdded(draft(strange, 1, { identity: { subId: DECOMPOSED } }))], {
      ...{ at: panel.now(), actor: { kind: 'system', id: 'import', name: 'import', ip: null } },
      correlationId: '00000000-0000-4000-8000-000000000001',
    });
    const [known] = [...panel.read.clients.all()];
    const body = { id: 1, settings: text([{ ...client(1, strange), subId: DECOMPOSED, totalGB: 5 }]) };
    const path = `/panel/api/inbounds/updateClient/${known?.credential.id}`;
    expect((await browser.post(path, body)).json).toMatchObject({ success: true });
    expect([...panel.read.clients.all()]).toMatchObject([{ identity: { email: strange }, spec: { capBytes: 5 } }]);
  });
});

describe('tags and names of nodes', () => {
  it('have one normalized spelling, and no invisible characters', async () => {
    const { panel, browser } = await start();
    const add = async (port: number, tag: string) =>
      (await browser.post('/panel/api/inbounds/add', inbound(port, { tag }))).json;
    expect((await add(20_500, DECOMPOSED))?.success).toBe(true);
    expect(panel.read.inbounds.all().at(-1)?.tag).toBe(COMPOSED);
    expect(await add(20_501, COMPOSED)).toMatchObject({ success: false });
    expect(await add(20_501, 'x\u2066y')).toMatchObject({ msg: expect.stringContaining('it contains U+2066') });
    const node = { host: '203.0.113.1', port: 443, enable: false };
    expect((await browser.post('/panel/api/nodes/add', { ...node, name: DECOMPOSED })).json?.success).toBe(true);
    const twin = await browser.post('/panel/api/nodes/add', { ...node, port: 444, name: COMPOSED.toUpperCase() });
    expect(twin.json?.success).toBe(false);
    const hidden = await browser.post('/panel/api/nodes/add', { ...node, port: 445, name: 'x\u202ey' });
    expect(hidden.json?.msg).toContain('the name contains U+202E');
  });
});

describe('names of admins', () => {
  it('are visually distinct, and log in with any spelling', async () => {
    const { panel, browser } = await start();
    panel.given({ type: 'CreateUser', data: { username: DECOMPOSED, passwordHash: 'plain correct horse' } });
    const names = () => [...panel.read.admins.users().users.values()].map(({ username }) => username);
    expect(names()).toEqual([ADMIN.username, COMPOSED]);
    for (const username of [COMPOSED, DECOMPOSED])
      expect((await panel.browser().post('/login', { ...ADMIN, username })).json?.success).toBe(true);
    const change = async (newUsername: string) => {
      const old = { oldUsername: ADMIN.username, oldPassword: ADMIN.password };
      return (await browser.post('/panel/setting/updateUser', { ...old, newUsername, newPassword: 'quite another' }))
        .json;
    };
    expect((await change('zoe'))?.msg).toContain('looks like that of another user');
    expect((await change('z\u043e\u00eb'))?.msg).toContain('looks like that of another user');
    expect((await change('ad\u200bmin'))?.msg).toContain('U+200B');
    expect((await change('captain'))?.success).toBe(true);
    expect(names()).toEqual(['captain', COMPOSED]);
  });
});
