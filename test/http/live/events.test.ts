import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { PanelEvent } from '../../../src/events/catalog.js';
import { PanelStarted } from '../../../src/events/panel.js';
import { EventFeed } from '../../../src/http/live/event-feed.js';
import { mountEventStream } from '../../../src/http/live/event-stream.js';
import { mountHandlers } from '../../../src/http/panel/handlers/index.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import { admin, T0 } from '../../kit/builders.js';
import { TestLog } from '../../kit/log.js';
import { startPanel } from '../kit/panel.js';

const PATH = '/panel/api/events';
const TOKEN = 'T'.repeat(48);
const CORRELATION = '00000000-0000-4000-8000-000000000001';
const bearer = { authorization: `Bearer ${TOKEN}` };

interface Told {
  readonly position: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
}
interface Page {
  readonly events: readonly Told[];
  readonly next: number;
  readonly head: number;
  readonly cursor: string;
  readonly generation: string;
}

async function start(options: Parameters<typeof startPanel>[0] = {}) {
  const panel = await startPanel(options);
  panel.given({ type: 'IssueApiToken', data: { token: TOKEN, replace: true } });
  const add = (...events: PanelEvent[]): void =>
    void panel.log.append(events, { at: T0, actor: admin, correlationId: CORRELATION });
  const ask = async (query = '', headers: Record<string, string> = bearer) =>
    (await panel.call('GET', `${PATH}${query}`, { headers })).json;
  const page = async (query = ''): Promise<Page> => {
    const answer = await ask(query);
    expect(answer).toMatchObject({ success: true, msg: '' });
    return answer?.obj as Page;
  };
  return { panel, add, ask, page, head: () => panel.log.head().position };
}

const started = (count: number) => Array.from({ length: count }, (_, n) => PanelStarted({ version: `${n}` }));
const positions = ({ events }: Page) => events.map(({ position }) => position);

/** The events of a stream in order of arrival, and its other fields. */
async function listen(origin: string, query = '', headers: Record<string, string> = bearer) {
  const asked = request(`${origin}${PATH}${query}`, { headers: { accept: 'text/event-stream', ...headers } }).end();
  const [res] = (await once(asked, 'response')) as [IncomingMessage];
  const heard = { text: '', over: false };
  res.setEncoding('utf8').on('data', (text: string) => (heard.text += text));
  res.on('error', () => undefined).on('close', () => (heard.over = true));
  const ids = () => [...heard.text.matchAll(/^id: (\d+)\.\S+\ndata: /gm)].map(([, id]) => Number(id));
  const until = async (what: () => boolean): Promise<void> => {
    await expect.poll(what).toBe(true);
  };
  return { res, heard, ids, until };
}

describe('the feed of events', () => {
  it('requires an admin or the token, and changes nothing', async () => {
    const { panel, ask } = await start();
    expect((await panel.call('GET', PATH)).status).toBe(404);
    expect((await panel.call('GET', PATH, { headers: { accept: 'text/event-stream' } })).status).toBe(404);
    expect(await ask()).toMatchObject({ success: true });
    expect(panel.appended()).toEqual([]);
    const browser = await panel.browser().login();
    expect((await browser.get(PATH)).json).toMatchObject({ success: true });
    expect(panel.appended()).toEqual([]);
  });

  it('returns the events after a position in pages, with the next position', async () => {
    const { add, page, head, panel } = await start();
    const first = head();
    add(...started(7));
    expect(await page(`?after=${first}&limit=3`)).toMatchObject({ next: first + 3, head: first + 7 });
    const rest = await page(`?after=${first + 3}`);
    expect(positions(rest)).toEqual([4, 5, 6, 7].map((n) => first + n));
    expect(rest).toMatchObject({ next: first + 7, head: first + 7, generation: panel.log.generation });
    expect(rest.events[0]).toMatchObject({
      ...{ type: 'PanelStarted', stream: 'panel', version: 4, at: T0, data: { version: '3' } },
      ...{ actor: { kind: admin.kind, id: admin.id, name: admin.name }, correlationId: CORRELATION, causationId: null },
    });
    expect(await page(`?after=${first + 7}`)).toMatchObject({ events: [], next: first + 7 });
    expect((await page(`?types=PanelStarted,ApiTokenIssued&limit=2`)).events.map(({ type }) => type)).toEqual([
      'ApiTokenIssued',
      'PanelStarted',
    ]);
  });

  it('continues after a cursor, which is rejected if the log has another history', async () => {
    const { add, ask, page, head, panel } = await start();
    const first = head();
    add(...started(5));
    const some = await page(`?after=${first}&limit=2`);
    const [position, generation, hash] = some.cursor.split('.');
    expect([position, generation]).toEqual([String(first + 2), panel.log.generation]);
    expect(panel.log.hashAt(first + 2)?.startsWith(hash ?? 'x')).toBe(true);
    expect(positions(await page(`?after=${some.cursor}`))).toEqual([3, 4, 5].map((n) => first + n));
    expect(positions(await page(`?after=${(await page('?limit=1')).cursor}&limit=1`))).toEqual([2]);

    const stream = { ...bearer, accept: 'text/event-stream' };
    const refused = async (cursor: string, msg: string, code: string) => {
      expect(await ask(`?after=${cursor}`)).toEqual({ success: false, msg, obj: null, code });
      expect(await ask('', { ...stream, 'last-event-id': cursor })).toEqual({ success: false, msg, obj: null, code });
    };
    await refused(
      `${position}.11111111-2222-4333-8444-555555555555.${hash}`,
      'The log that you were following was replaced by another one: start again from position 0',
      'GENERATION_UNKNOWN',
    );
    // The position was assigned twice: an older copy was restored by hand, which keeps its generation.
    await refused(
      `${position}.${generation}.0123456789abcdef`,
      `The event at position ${position} is not the one that you received: the log has a different history now. Start again from position 0`,
      'HISTORY_CHANGED',
    );
    await refused(
      `9999.${generation}.${hash}`,
      `This log has no position 9999: it ends at ${head()}. If the log was replaced, start again from position 0`,
      'POSITION_UNKNOWN',
    );
  });

  it('contains no secrets: sealed fields are omitted', async () => {
    const { panel, ask } = await start();
    const text = JSON.stringify(await ask());
    expect(text).toContain('"UserCreated"');
    const { passwordHash } = [...panel.read.admins.users().users.values()][0] ?? expect.fail('no user');
    for (const secret of [TOKEN, passwordHash, '127.0.0.1']) expect(text).not.toContain(secret);
  });

  it('ends a page that grows too large, and examines a limited number of events', async () => {
    const { add, page, head } = await start();
    const first = head();
    add(...Array.from({ length: 4 }, () => PanelStarted({ version: 'x'.repeat(1_500_000) })));
    expect(positions(await page(`?after=${first}`))).toEqual([first + 1, first + 2]);
    add(...started(5200));
    const none = await page(`?after=${first}&types=ClientAdded`);
    expect(none).toMatchObject({ events: [], next: first + 5000 });
    expect(await page(`?after=${none.next}&types=ClientAdded`)).toMatchObject({ events: [], next: head() });
  });

  it.each([
    [
      '?after=x',
      'The input is not valid: after: must be a cursor of this feed, or a position (value: "x")',
      'INPUT_INVALID',
    ],
    [
      '?after=1.x.y',
      'The input is not valid: after: must be a cursor of this feed, or a position (value: "1.x.y")',
      'INPUT_INVALID',
    ],
    ['?after=-1', 'The input is not valid: after: must not be negative (value: "-1")', 'INPUT_INVALID'],
    [
      '?after=1&after=2',
      'The input is not valid: after: must be a cursor of this feed, or a position',
      'INPUT_INVALID',
    ],
    ['?limit=5001', 'The input is not valid: limit: must be 0 to 5000 (value: "5001")', 'INPUT_INVALID'],
    ['?wait=61', 'The input is not valid: wait: must be 0 to 60 (value: "61")', 'INPUT_INVALID'],
    ['?types=ClientAdded,ClientTeleported', 'Unknown event type ClientTeleported', 'EVENT_TYPE_UNKNOWN'],
    ['?types=toString', 'Unknown event type toString', 'EVENT_TYPE_UNKNOWN'],
    [
      '?after=99',
      'This log has no position 99: it ends at 2. If the log was replaced, start again from position 0',
      'POSITION_UNKNOWN',
    ],
    [
      '?after=1&generation=other',
      'The log that you were following was replaced by another one: start again from position 0',
      'GENERATION_UNKNOWN',
    ],
  ])('rejects %s with a message, as a stream too', async (query, msg, code) => {
    const { ask } = await start();
    expect(await ask(query)).toEqual({ success: false, msg, obj: null, code });
    expect(await ask(query, { ...bearer, accept: 'text/event-stream' })).toEqual({
      success: false,
      msg,
      obj: null,
      code,
    });
  });
});

describe('a waiting request', () => {
  it('is answered when a matching event is appended', async () => {
    const { panel, add, page, head } = await start();
    const first = head();
    const waiting = page(`?after=${first}&wait=60&types=PanelStopped`);
    add(...started(2));
    await expect.poll(() => panel.feed.size).toBe(1);
    add(...started(1), { type: 'PanelStopped', data: {} });
    const answer = await waiting;
    expect(positions(answer)).toEqual([first + 4]);
    expect(panel.feed.size).toBe(0);
  });

  it('is answered with no events at its timeout, and when the panel moves', async () => {
    const { panel, page, head } = await start();
    expect(await page(`?after=${head()}&wait=1`)).toMatchObject({ events: [], next: head() });
    const waiting = page(`?after=${head()}&wait=60`);
    await expect.poll(() => panel.feed.size).toBe(1);
    await panel.web.closeSockets();
    expect(await waiting).toMatchObject({ events: [], next: head() });
  });

  it('is rejected once its session has ended', async () => {
    const { panel, head } = await start();
    const browser = await panel.browser().login();
    const waiting = browser.get(`${PATH}?after=${head()}&wait=60`);
    await expect.poll(() => panel.feed.size).toBe(1);
    await browser.post('/logout');
    expect((await waiting).json).toEqual({
      success: false,
      msg: 'Your session has expired, please log in again',
      obj: null,
      code: 'SESSION_EXPIRED',
    });
  });

  it('is dropped when its caller disconnects', async () => {
    const { panel, head } = await start();
    const asked = request(`${panel.origin}${PATH}?after=${head()}&wait=60`, { headers: bearer }).end();
    asked.on('error', () => undefined);
    await expect.poll(() => panel.feed.size).toBe(1);
    asked.destroy();
    await expect.poll(() => panel.feed.size).toBe(0);
  });

  it('is rejected when a hundred wait already', async () => {
    const { log } = new TestLog();
    const feed = new EventFeed(log, { clients: new LogReadModels(log).clients });
    const caller = new AbortController();
    const beginning = { position: 0, generation: '', hash: '' };
    const ask = () => feed.page({ after: beginning, limit: 0, types: '', wait: 60, generation: '' }, caller.signal);
    const waiting = Array.from({ length: 100 }, ask);
    await expect.poll(() => feed.size).toBe(100);
    expect(await ask()).toMatchObject({ code: 'FOLLOWERS_FULL' });
    feed.endWaits();
    await Promise.all(waiting);
    expect(feed.size).toBe(0);
  });
});

describe('a stream of events', () => {
  it('sends past events, then new ones, and resumes where it stopped', async () => {
    const { panel, add, head } = await start();
    const first = head();
    add(...started(3));
    const one = await listen(panel.origin, `?after=${first}`);
    expect(one.res.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
    });
    await one.until(() => one.ids().length === 3);
    const begin = { head: first + 3, generation: panel.log.generation };
    expect(one.heard.text).toMatch(`retry: 3000\nevent: log\ndata: ${JSON.stringify(begin)}\n\nid: ${first + 1}.`);
    add(...started(2));
    await one.until(() => one.ids().length === 5);
    expect(one.ids()).toEqual([1, 2, 3, 4, 5].map((n) => first + n));
    const data = one.heard.text.split('\n').filter((line) => line.startsWith('data: {"position"'));
    expect(JSON.parse(data[4]?.slice('data: '.length) ?? '')).toMatchObject({ type: 'PanelStarted', version: 5 });
    one.res.destroy();
    const [last] = [...one.heard.text.matchAll(/^id: (\S+)\ndata: /gm)].slice(3).map(([, id]) => id ?? '');
    for (const id of [last ?? '', String(first + 4)]) {
      const two = await listen(panel.origin, '?after=0', { ...bearer, 'last-event-id': id });
      await two.until(() => two.ids().length === 1);
      expect(two.ids()).toEqual([first + 5]);
      two.res.destroy();
    }
    await expect.poll(() => panel.feed.size).toBe(0);
  });

  it('rejects an invalid Last-Event-ID', async () => {
    const { ask } = await start();
    const headers = { ...bearer, accept: 'text/event-stream', 'last-event-id': 'nonsense' };
    expect(await ask('', headers)).toEqual({
      success: false,
      msg: 'Last-Event-ID "nonsense" is neither a cursor of this feed nor a position: send the id of the last event that you received',
      obj: null,
      code: 'CURSOR_INVALID',
    });
  });

  it('ends at once when the token changes, before it sends that event', async () => {
    const { panel, head } = await start();
    const stream = await listen(panel.origin, `?after=${head()}`);
    panel.given({ type: 'IssueApiToken', data: { token: 'N'.repeat(48), replace: true } });
    await stream.until(() => stream.heard.over);
    expect(stream.ids()).toEqual([]);
  });

  it('ends when the panel moves or stops', async () => {
    const { panel, head } = await start();
    const stream = await listen(panel.origin, `?after=${head()}`);
    await panel.web.closeSockets();
    await stream.until(() => stream.heard.over);
  });

  const impatient = {
    bind: ((router, gate, services) => {
      mountEventStream(router, gate, services.history, { beatMs: 20, stuckMs: 200 });
      mountHandlers(router, gate, services);
    }) satisfies typeof mountHandlers,
  };

  it('sends heartbeats, with the position when all events are filtered out, and ends with an expired session', async () => {
    const { panel, add, head } = await start(impatient);
    const browser = await panel.browser().login();
    const stream = await listen(panel.origin, `?after=${head()}&types=ClientAdded`, { cookie: browser.cookie });
    await stream.until(() => stream.heard.text.includes('\n\n:\n\n'));
    add(...started(3));
    await stream.until(() => stream.heard.text.includes(`:\nid: ${panel.feed.cursor(head())}\n\n`));
    panel.later(31 * 86_400_000);
    await stream.until(() => stream.heard.over);
  });

  it('disconnects a follower that does not read', async () => {
    const { panel, add, head } = await start(impatient);
    const first = head();
    add(...Array.from({ length: 30 }, () => PanelStarted({ version: 'x'.repeat(1_000_000) })));
    const stream = await listen(panel.origin, `?after=${first}`);
    stream.res.pause();
    await expect.poll(() => panel.feed.size).toBe(0);
    stream.res.resume();
    await stream.until(() => stream.heard.over);
    expect(stream.ids().length).toBeLessThan(30);
  });
});
