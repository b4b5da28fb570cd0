import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NO_QUOTAS } from '../../../../src/events/access/access-of.js';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { clientNumber, draft, inboundDraft, one, userId } from '../../../kit/builders.js';
import { eventually } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';

const SELLER = { username: 'seller', password: 'long enough' };

interface Shown {
  readonly position: number;
  readonly type: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly data: { readonly client: number };
  readonly emails?: Readonly<Record<string, string>>;
}
interface Page {
  readonly events: readonly Shown[];
  readonly next: number;
  readonly cursor: string;
  readonly head: number;
}

/** The owner's clients 1 to 9, and client 10 of the reseller, all on inbound 1. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const other = inboundDraft({ spec: { remark: 'hidden inbound', port: 8443, tag: 'in-2' } });
  panel.given({ type: 'AddInbound', data: { ...other, owner: userId(1) } });
  const access = { role: 'reseller', inbounds: [one], quotas: NO_QUOTAS };
  panel.given({ type: 'CreateUser', data: { username: 'seller', passwordHash: 'plain long enough', access } });
  const foreign = Array.from({ length: 9 }, (_, i) => draft(i === 8 ? 'ninth' : `foreign-${i + 1}`, i + 1));
  panel.given({ type: 'AddClients', data: { inbound: one, clients: foreign } });
  panel.given({ type: 'AddClients', data: { inbound: one, clients: [draft('mine', 10)] } });
  panel.given({ type: 'HandOverClients', data: { clients: [clientNumber(10)], owner: userId(2) } });
  const owner = await panel.browser().login();
  const seller = await panel.browser().login(SELLER);
  const page = async (query = ''): Promise<Page> => {
    const answer = await seller.get(`/panel/api/events${query}`);
    expect(answer.json, answer.text).toMatchObject({ success: true });
    expect(answer.text).not.toContain('foreign');
    return answer.json?.obj as Page;
  };
  const change = (body: object) => owner.post('/panel/api/clients/change', body);
  return { panel, owner, seller, page, change };
}

describe('the event feed of a reseller', () => {
  it('has the events of own clients, with opaque positions and without other admins', async () => {
    const { panel, seller, page, change } = await start();
    await seller.post('/panel/api/clients/change', { action: 'disable' });
    await change({ action: 'enable', clients: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
    const { events, next, head, cursor } = await page();
    expect(events.map(({ type, data, emails }) => [type, data.client, emails])).toStrictEqual([
      ['ClientAdded', 10, { 10: 'mine' }],
      ['ClientUpdated', 10, { 10: 'mine' }],
      ['ClientUpdated', 10, { 10: 'mine' }],
    ]);
    expect(events.map(({ actor }) => [actor.kind, actor.name])).toStrictEqual([
      ['system', 'test'],
      ['user', 'seller'],
      ['user', ''],
    ]);
    for (const { position } of events) expect(String(position)).toMatch(/^\d{15}$/);
    expect([next, head]).toStrictEqual([events.at(-1)?.position, events.at(-1)?.position]);
    const after = await page(`?after=${cursor}`);
    expect(after).toMatchObject({ events: [], next, cursor, head });
    expect(await page(`?after=${events[0]?.position}`)).toMatchObject({ events: events.slice(1) });
    expect((await page('?types=ClientAdded')).events).toHaveLength(1);
    expect(panel.services.positions.reveal(next)).toBeLessThanOrEqual(panel.log.head().position);
  });

  it('does not change with what others do, however much that is', async () => {
    const { panel, page, change } = await start();
    const before = await page();
    for (let n = 0; n < 30; n += 1)
      await change({ action: n % 2 === 0 ? 'disable' : 'enable', clients: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
    expect(await page()).toStrictEqual(before);
    expect(await page(`?after=${before.cursor}`)).toStrictEqual({ ...before, events: [] });
    await change({ action: 'disable', clients: [10] });
    expect((await page(`?after=${before.cursor}`)).events).toMatchObject([{ type: 'ClientUpdated' }]);
    expect(panel.complaints).toStrictEqual([]);
  });

  it('shows the deletion of an own client, by whomever, and no deletion of another one', async () => {
    const { panel, page, change } = await start();
    const { cursor } = await page();
    await change({ action: 'delete', clients: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
    expect(panel.appended().map(({ type }) => type)).toContain('ClientsDeleted');
    const { events } = await page(`?after=${cursor}`);
    expect(events).toMatchObject([{ type: 'ClientDeleted', version: 0, data: { client: 10, inbound: 1 } }]);
    expect((await page()).events.map(({ type }) => type)).toStrictEqual(['ClientAdded', 'ClientDeleted']);
  });

  it('forgets a client that an owner hands over, also one that was deleted afterwards', async () => {
    const { panel, page, change } = await start();
    panel.given({ type: 'HandOverClients', data: { clients: [clientNumber(10)], owner: userId(1) } });
    expect((await page()).events).toStrictEqual([]);
    panel.given({ type: 'HandOverClients', data: { clients: [clientNumber(9)], owner: userId(2) } });
    expect((await page()).events).toMatchObject([{ type: 'ClientAdded', data: { client: 9 } }]);
    await change({ action: 'delete', clients: [10] });
    expect((await page()).events.map(({ data }) => data.client)).toStrictEqual([9]);
  });

  it('waits for an own event only', async () => {
    const { page, change } = await start();
    const { cursor } = await page();
    let isDone = false;
    const waiting = page(`?after=${cursor}&wait=20`).then((found) => {
      isDone = true;
      return found;
    });
    for (const action of ['disable', 'enable']) await change({ action, clients: [1] });
    expect(isDone).toBe(false);
    await change({ action: 'disable', clients: [10] });
    expect((await waiting).events).toMatchObject([{ type: 'ClientUpdated', data: { client: 10 } }]);
  });

  it('is a stream as well, whose positions are the same', async () => {
    const { panel, seller, page, change } = await start();
    const { events, cursor } = await page();
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const response = await fetch(`${panel.origin}/panel/api/events`, {
      headers: { cookie: seller.cookie, accept: 'text/event-stream' },
      signal: over.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const part of response.body ?? []) text += Buffer.from(part as Uint8Array).toString();
    })();
    reading.catch(() => undefined);
    await eventually(() => expect(text).toContain(`id: ${cursor}\n`));
    expect(text).toContain('event: log\ndata: {"head":0,');
    await change({ action: 'disable', clients: [1, 2] });
    await change({ action: 'disable', clients: [10] });
    await eventually(() => expect(text.match(/^data: .*"type"/gm)).toHaveLength(events.length + 1));
    expect(text).not.toContain('foreign');
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(ids).toHaveLength(events.length + 1);
    const rest = await page(`?after=${ids[0]}`);
    expect(rest.events).toHaveLength(1);
  });

  it('takes no position that was not given to a limited role', async () => {
    const { panel, seller } = await start();
    const head = panel.log.head().position;
    const answers: string[] = [];
    for (const after of [1, head, head + 1, 900_000_000, 2 ** 48 + 12_345]) {
      const { text } = await seller.get(`/panel/api/events?after=${after}`);
      answers.push(text.replaceAll(String(after), 'POSITION'));
    }
    expect(new Set(answers).size, answers.join('\n')).toBe(1);
    expect(answers[0]).toContain('CURSOR_INVALID');
  });

  it('is what a token of the reseller gets, too; the rest of the audit log is refused', async () => {
    const { panel, seller } = await start();
    const { secret, ...stored } = newTokenSecret();
    const shop = { name: 'shop', role: 'reseller', inbounds: [one], admin: userId(2), expiresAt: 0, addresses: [] };
    panel.given({ type: 'CreateToken', data: { ...shop, ...stored } });
    const headers = { authorization: `Bearer ${secret}` };
    const { json } = await panel.call('GET', '/panel/api/events', { headers });
    expect((json?.obj as Page | undefined)?.events).toMatchObject([{ type: 'ClientAdded', data: { client: 10 } }]);
    for (const path of ['/panel/api/audit/page', '/panel/api/audit/export', '/panel/api/diff'])
      expect((await seller.get(path)).status, path).not.toBe(200);
  });

  it('has its equivalent in the WebSocket: own changes only', async () => {
    const { panel, seller, change } = await start();
    const socket = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: seller.cookie } });
    onTestFinished(() => socket.terminate());
    const pushed: string[] = [];
    socket.on('message', (data) => pushed.push(String(data)));
    await once(socket, 'open');
    await change({ action: 'disable', clients: [1, 2, 3] });
    await change({ action: 'delete', clients: [4, 5] });
    panel.given({ type: 'HandOverClients', data: { clients: [clientNumber(9)], owner: null } });
    await change({ action: 'disable', clients: [10] });
    await eventually(() => expect(pushed).toStrictEqual(['{"type":"invalidate","resource":"inbounds"}']));
    panel.given({ type: 'HandOverClients', data: { clients: [clientNumber(9)], owner: userId(2) } });
    await eventually(() => expect(pushed).toHaveLength(2));
    expect(pushed.join('')).not.toContain('foreign');
  });
});
