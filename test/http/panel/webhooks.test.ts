import { describe, expect, it, onTestFinished } from 'vitest';
import { createWeb } from '../../../src/adapters/web/web.js';
import { Disposal } from '../../../src/lib/disposal.js';
import { isSigned, startReceiver } from '../../commands/reactors/webhooks/kit.js';
import { alice, inboundDraft, one, userId } from '../../kit/builders.js';
import { eventually } from '../../kit/wait.js';
import { startPanel } from '../kit/panel.js';
import { API, TOKEN_HEADERS as headers } from '../kit/samples.js';

type Options = Parameters<typeof startPanel>[0];

async function start(options: Options = {}) {
  const panel = await startPanel(options);
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  panel.given({ type: 'AddInbound', data: { ...inboundDraft(), owner: userId(1) } });
  const post = async (path: string, body: object = {}) =>
    panel.call('POST', `${API}/webhooks${path}`, { headers, body: JSON.stringify(body) });
  const get = async <T>(path: string) =>
    (await panel.call('GET', `${API}/webhooks${path}`, { headers })).json?.obj as T;
  const disposal = new Disposal();
  panel.webhooks.start(disposal);
  onTestFinished(() => disposal.dispose());
  const typesAfter = (position: number) => panel.log.read(position, 100).map(({ type }) => type);
  return { panel, post, get, typesAfter };
}

interface Row {
  readonly id: number;
  readonly url: string;
  readonly paused: string;
  readonly deadLetters: number;
  readonly previousSecretUntil: number;
  readonly status: { readonly position: number; readonly lag: number; readonly delivered: number };
}

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

describe('webhooks', () => {
  it('deliver the events of the feed, signed with a secret that only the answer to add shows', async () => {
    const { panel, post, get, typesAfter } = await start();
    const receiver = await startReceiver();
    const before = panel.log.head().position;
    const added = await post('/add', { name: 'billing', url: receiver.url, types: ['clients'] });
    const { id, secret } = (added.json ?? expect.fail('no answer')).obj as { id: number; secret: string };
    expect(secret).toMatch(SECRET);
    expect(typesAfter(before)).toStrictEqual(['WebhookAdded']);
    panel.given({ type: 'AddClients', data: { inbound: one, clients: [alice] } });
    await eventually(() => expect(receiver.all).toHaveLength(1));
    const [request] = receiver.all;
    expect(request && isSigned(request, secret)).toBe(true);
    const { position } = panel.log.head();
    const feed = await panel.call('GET', `${API}/events?after=${position - 1}`, { headers });
    const { events, generation } = (feed.json ?? expect.fail('no answer')).obj as {
      events: object[];
      generation: string;
    };
    expect(JSON.parse(request?.body ?? '')).toStrictEqual({
      type: 'ClientAdded',
      timestamp: new Date((events[0] as { at: number }).at).toISOString(),
      generation,
      data: events[0],
    });
    // Neither credentials nor the secrets of webhooks leave the panel.
    expect(request?.body).not.toContain(alice.credential.id);
    const [row] = await get<Row[]>('/list');
    expect(row).toMatchObject({ id, url: receiver.url, paused: '', deadLetters: 0, status: { lag: 0, delivered: 1 } });
    expect(JSON.stringify(row)).not.toContain(secret);
    const own = await panel.call('GET', `${API}/events?after=${before}`, { headers });
    expect(own.text).not.toContain(secret);
    expect(own.text).not.toContain(receiver.url);
  });

  it('are changed, paused, resumed, replayed, rotated and deleted, each with one event', async () => {
    const { panel, post, get, typesAfter } = await start();
    const receiver = await startReceiver();
    await post('/add', { name: 'billing', url: receiver.url, types: ['clients'], after: 0 });
    const before = panel.log.head().position;
    await post('/update/1', { name: 'invoices', url: receiver.url, types: ['clients', 'ClientAdded'] });
    await post('/pause/1');
    expect((await get<Row[]>('/list'))[0]).toMatchObject({ name: 'invoices', paused: 'admin' });
    await post('/resume/1');
    await post('/replay/1', { after: 1 });
    const rotated = (await post('/rotateSecret/1', { overlapHours: 2 })).json?.obj as { secret: string };
    expect(rotated.secret).toMatch(SECRET);
    expect((await get<Row[]>('/list'))[0]?.previousSecretUntil).toBeGreaterThan(panel.now());
    await post('/del/1');
    expect(typesAfter(before)).toStrictEqual([
      ...['WebhookUpdated', 'WebhookPaused', 'WebhookResumed', 'WebhookReplayRequested', 'WebhookSecretRotated'],
      'WebhookDeleted',
    ]);
    expect(await get('/list')).toStrictEqual([]);
    expect((await post('/pause/1')).json).toMatchObject({ success: false, code: 'WEBHOOK_NOT_FOUND' });
  });

  it('refuse what cannot work', async () => {
    const { panel, post } = await start({ parts: { web: createWeb({ allowPrivate: false }) } });
    const before = panel.log.head().position;
    const add = async (over: object) =>
      (await post('/add', { name: 'x', url: 'https://198.51.100.1/', types: [], ...over })).json;
    expect(await add({ url: 'http://127.0.0.1:9/' })).toMatchObject({ success: false, code: 'WEBHOOK_INVALID' });
    expect(await add({ url: 'ftp://example.com/' })).toMatchObject({ code: 'WEBHOOK_INVALID' });
    expect(await add({ name: ' ' })).toMatchObject({ code: 'WEBHOOK_INVALID' });
    expect(await add({ types: ['Nonsense'] })).toMatchObject({ code: 'EVENT_TYPE_UNKNOWN' });
    expect(await add({ after: 10_000 })).toMatchObject({ code: 'POSITION_UNKNOWN' });
    expect((await post('/test/7')).json).toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    expect((await post('/redeliver/7', { position: 1 })).json).toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
    expect(panel.log.head().position).toBe(before);
  });

  it('are tested, and send a dead letter again', async () => {
    const { panel, post, get, typesAfter } = await start();
    const receiver = await startReceiver((_req, res) => void res.writeHead(500).end());
    await post('/add', { name: 'billing', url: receiver.url, types: ['backups'] });
    expect((await post('/test/1')).json?.obj).toMatchObject({ accepted: false, status: 500 });
    const rejected = panel.log.head().position;
    const reason = { code: 'network.receiverStatus', params: { status: 422 } } as const;
    const data = { webhook: 1 as never, rejected, eventType: 'WebhookAdded', attempts: 8, reason };
    panel.given({ type: 'RecordWebhookEventRejected', data });
    expect(await get('/deadLetters/1')).toMatchObject([
      { position: rejected, type: 'WebhookAdded', attempts: 8, problemCode: 'network.receiverStatus' },
    ]);
    panel.given({ type: 'RecordWebhookEventRejected', data: { ...data, rejected: rejected - 1 } });
    const head = panel.log.head().position;
    expect((await post('/discard/1', { position: rejected - 1 })).json).toMatchObject({ success: true });
    expect(typesAfter(head)).toStrictEqual(['WebhookEventDiscarded']);
    expect(await get('/deadLetters/1')).toMatchObject([{ position: rejected }]);
    expect((await post('/discard/1', { position: rejected - 1 })).json).toMatchObject({
      code: 'DEAD_LETTER_NOT_FOUND',
    });
    const attention = await panel.call('GET', `${API}/server/attention`, { headers });
    expect(attention.json?.obj).toMatchObject({ webhooks: [{ id: 1, deadLetters: 1, gone: false }] });
    expect((await post('/redeliver/1', { position: rejected })).json?.obj).toMatchObject({ accepted: false });
    receiver.does.answer = (_req, res) => void res.writeHead(200).end();
    const before = panel.log.head().position;
    expect((await post('/redeliver/1', { position: rejected })).json?.obj).toMatchObject({ accepted: true });
    expect(typesAfter(before)).toStrictEqual(['WebhookEventRedelivered']);
    expect(await get('/deadLetters/1')).toStrictEqual([]);
    expect((await post('/redeliver/1', { position: rejected })).json).toMatchObject({ code: 'DEAD_LETTER_NOT_FOUND' });
    for (const one of [1, 2]) panel.given({ type: 'RecordWebhookEventRejected', data: { ...data, rejected: one } });
    const all = panel.log.head().position;
    expect((await post('/discard/1', { position: 0 })).json).toMatchObject({ success: true });
    expect(typesAfter(all)).toStrictEqual(['WebhookEventDiscarded', 'WebhookEventDiscarded']);
    expect((await post('/discard/1', { position: 0 })).json).toMatchObject({ success: true });
    expect(panel.webhooks.figures()).toMatchObject([{ id: 1, name: 'billing', up: true, deadLetters: 0 }]);
  });
});
