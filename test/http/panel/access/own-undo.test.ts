import { describe, expect, it } from 'vitest';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { draft, one } from '../../../kit/builders.js';
import { SELLER, startSelling } from '../../kit/reseller.js';

const CHANGE = '/panel/api/clients/change';
type Browser = Awaited<ReturnType<typeof startSelling>>['seller'];

/** Sends a request and returns the position in its receipt. */
async function receiptOf(browser: Browser, path: string, body: object): Promise<string> {
  const { headers, json, text } = await browser.post(path, body);
  expect(json?.success, text).toBe(true);
  return headers.get('x-portolan-position') ?? expect.fail(text);
}
const undo = (browser: Browser, position: string, body: object = {}) =>
  browser.post(`/panel/api/events/${position}/undo`, body);

describe('an undo by a reseller', () => {
  it('takes own changes of own clients back: terms, additions and deletions with their counters', async () => {
    const { panel, seller, add, wire } = await startSelling(['foreign-a'], ['mine', 'more']);
    panel.given({ type: 'AdjustClientTraffic', data: { email: 'mine', up: 70, down: 7 } });
    const shown = () =>
      [...panel.read.clients.all()].map((client) => [
        client.identity,
        client.spec,
        client.credential,
        panel.read.admins.access().owners.get(client.number),
        panel.read.usage.client(client),
      ]);
    const byEmail = (): unknown => shown().sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    const before = byEmail();
    for (const change of [
      () => receiptOf(seller, CHANGE, { action: 'disable' }),
      async () => (await add(seller, one, [wire('next', 70)])).headers.get('x-portolan-position') ?? '',
      () => receiptOf(seller, CHANGE, { action: 'delete' }),
    ]) {
      const position = await change();
      const after = byEmail();
      expect(after).not.toStrictEqual(before);
      const { json, text } = await undo(seller, position);
      expect(json, text).toMatchObject({ success: true, obj: { obstacles: [] } });
      const { from, to } = (json ?? expect.fail()).obj as { from: number; to: number };
      for (const end of [from, to]) expect(String(end)).toMatch(/^\d{15}$/);
      expect(byEmail()).toStrictEqual(before);
    }
  });

  it('has a dry run, and can be undone', async () => {
    const { panel, seller } = await startSelling(['foreign-a'], ['mine']);
    const position = await receiptOf(seller, CHANGE, { action: 'delete' });
    panel.appended();
    const dry = await undo(seller, position, { dryRun: true });
    expect(dry.json?.obj).toMatchObject({
      ...{ dryRun: true, head: { position: 0, hash: '' } },
      events: [{ type: 'ClientAdded', subject: { number: 0, name: 'mine' } }],
    });
    expect(panel.appended()).toStrictEqual([]);
    const back = await undo(seller, position);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['CommandUndone', 'ClientAdded']);
    const twice = await undo(seller, position);
    expect(twice.json, twice.text).toMatchObject({ code: 'ALREADY_UNDONE' });
    expect(twice.json?.msg).toMatch(/^Position \d{15} is already undone, at position \d{15}:/);
    await undo(seller, back.headers.get('x-portolan-position') ?? '');
    expect(panel.read.clients.firstByEmail('mine')).toBeUndefined();
    expect(panel.read.clients.firstByEmail('foreign-a')).toBeDefined();
  });

  it('is refused for commands of others, and in the same way for positions that do not exist', async () => {
    const { panel, owner, seller } = await startSelling(['foreign-a'], ['mine']);
    await owner.post(CHANGE, { action: 'disable', clients: [1, 2] });
    const story = (await seller.get('/panel/api/clients/mine/why')).json?.obj as { story: { position: number }[] };
    const { position: head } = panel.log.head();
    panel.appended();
    const hidden = (position: number) => String(panel.services.positions.hide(position));
    const answers: string[] = [];
    for (const position of [String(story.story.at(-1)?.position), hidden(head + 1), hidden(1), '1', String(head)]) {
      const { status, text } = await undo(seller, position);
      answers.push(`${status} ${text.replace(position, 'POSITION')}`);
    }
    expect(new Set(answers).size, answers.join('\n')).toBe(1);
    expect(answers[0]).toMatch(/^400 .*UNDO_NOT_OWN/);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('knows nothing of clients that were handed over since', async () => {
    const { owner, seller, panel } = await startSelling(['foreign-a'], ['mine', 'more']);
    const position = await receiptOf(seller, CHANGE, { action: 'disable' });
    await owner.post('/panel/api/admins/handOver', { clients: [2], owner: 1 });
    await owner.post('/panel/api/inbounds/updateClientTraffic/mine', { upload: 1, download: 1 });
    const { json, text } = await undo(seller, position);
    expect(json?.obj, text).toMatchObject({ obstacles: [{ document: 'client-2', whyCode: 'undo.deletedSince' }] });
    expect(panel.read.clients.get(2)?.spec.enabled).toBe(false);
    expect(panel.read.clients.get(3)?.spec.enabled).toBe(true);
  });

  it('is held to the quotas and the inbounds of now', async () => {
    const { panel, owner, seller, add, wire } = await startSelling([], ['mine', 'more'], { ...NO_QUOTAS, clients: 2 });
    const position = await receiptOf(seller, CHANGE, { action: 'delete', clients: [1] });
    await add(seller, one, [wire('next', 70)]);
    panel.appended();
    expect((await undo(seller, position)).json).toMatchObject({ success: false, code: 'QUOTA_EXCEEDED' });
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['CommandRefused']);
    await owner.post('/panel/api/admins/access/2', { role: 'reseller', inbounds: [2], quotas: NO_QUOTAS });
    const elsewhere = await undo(seller, position);
    expect(elsewhere.json, elsewhere.text).toMatchObject({ success: false });
    expect(panel.read.clients.firstByEmail('mine')).toBeUndefined();
  });

  it('does not say which client of others has an email', async () => {
    const { owner, seller, add, wire } = await startSelling(['foreign-a'], ['mine']);
    const position = await receiptOf(seller, CHANGE, { action: 'delete', clients: [2] });
    await add(owner, 2, [wire('mine', 80, { subId: 'another' })]);
    const { json, text } = await undo(seller, position);
    expect(json, text).toMatchObject({ success: false, code: 'UNDO_IMPOSSIBLE' });
    expect(text).not.toMatch(/EMAIL_TAKEN|inbound 2|another/);
  });

  it('leaves out what the account did while it had another role', async () => {
    const { panel, owner } = await startSelling(['foreign-a'], []);
    const login = { username: 'former', password: SELLER.password };
    const data = { username: login.username, passwordHash: `plain ${login.password}` };
    panel.given({ type: 'CreateUser', data });
    const former = await panel.browser().login(login);
    const settings = await receiptOf(former, '/panel/setting/update', { pageSize: 17 });
    const deletion = await receiptOf(former, CHANGE, { action: 'delete', clients: [1] });
    await owner.post('/panel/api/admins/access/3', { role: 'reseller', inbounds: [1, 2], quotas: NO_QUOTAS });
    for (const position of [settings, deletion]) {
      const hidden = String(panel.services.positions.hide(Number(position)));
      expect((await undo(former, hidden)).json).toMatchObject({ success: false, code: 'UNDO_NOT_OWN' });
    }
  });

  it('is the only one for a role that reads all clients and may undo only own changes', async () => {
    const { panel, owner } = await startSelling(['foreign-a'], []);
    const grant = (permission: string, scope: string) => ({ permission, scope });
    const changing = ['clients:create', 'clients:update', 'clients:delete', 'audit:undo'].map((one) =>
      grant(one, 'own'),
    );
    const grants = [grant('clients:read', 'all'), grant('account:read', 'all'), ...changing];
    await owner.post('/panel/api/roles/save', { name: 'desk', grants });
    const login = { username: 'desk', password: 'a long pass phrase' };
    await owner.post('/panel/api/admins/add', { ...login, role: 'desk', inbounds: [1] });
    const desk = await panel.browser().login(login);
    const foreign = await receiptOf(owner, CHANGE, { action: 'disable', clients: [1] });
    expect((await undo(desk, foreign)).json).toMatchObject({ success: false, code: 'UNDO_NOT_OWN' });
    const { credential, identity } = draft('own', 50);
    const clients = [{ id: credential.id, email: 'own', subId: identity.subId, enable: true }];
    const body = { id: one, settings: JSON.stringify({ clients }) };
    const added = await receiptOf(desk, '/panel/api/inbounds/addClient', body);
    expect((await undo(desk, added)).json).toMatchObject({ success: true, obj: { from: Number(added) } });
    expect(panel.read.clients.firstByEmail('own')).toBeUndefined();
  });

  it('takes back many changes at once', async () => {
    const { panel, seller, wire } = await startSelling([], []);
    const clients = Array.from({ length: 300 }, (_, n) => wire(`mine-${n}`, 100 + n));
    await seller.post('/panel/api/inbounds/addClient', { id: one, settings: JSON.stringify({ clients }) });
    const position = await receiptOf(seller, CHANGE, { action: 'delete' });
    expect((await undo(seller, position)).json).toMatchObject({ success: true, obj: { obstacles: [] } });
    expect(panel.read.clients.count).toBe(300);
  });
});
