import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebhookCursorFile } from '../../../../src/adapters/sqlite/webhook-cursors.js';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { asSystem } from '../../../../src/commands/bus.js';
import type { Web } from '../../../../src/commands/ports/web.js';
import { WebhookDeliveries } from '../../../../src/commands/reactors/webhooks/webhook-deliveries.js';
import { WebhookId } from '../../../../src/events/ids.js';
import { LogLossAccepted } from '../../../../src/events/panel.js';
import { draft, inboundAdded, one, traffic } from '../../../kit/builders.js';
import { busOver, TestLog } from '../../../kit/log.js';
import { eventually } from '../../../kit/wait.js';
import { isSigned, startReceiver } from './kit.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A log with an inbound, and deliveries that can be ended and begun again on the same cursors. */
function setup(web: Pick<Web, 'request'> = createWeb({ allowPrivate: true })) {
  const journal = new TestLog();
  journal.append(inboundAdded());
  const bus = busOver(journal.log, journal.clock);
  const file = `${journal.directory.run}/webhooks.db`;
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  /** Of the cluster. */
  const cluster = { confirms: true, asked: 0 };
  const begin = () => {
    const cursors = new WebhookCursorFile(file, warn);
    const deliveries = new WebhookDeliveries({
      ...{ web, log: journal.log, cursors, warn, now: journal.clock.now },
      webhooks: () => bus.state.webhooks,
      changed$: journal.log.appended$,
      confirmed: async () => {
        cluster.asked += 1;
        return cluster.confirms;
      },
      deliveryOf: (event) => ({
        id: event.id,
        body: JSON.stringify({ type: event.type, data: { position: event.position } }),
      }),
      dispatch: (command) => void bus.dispatch(command, asSystem('webhooks')),
    });
    deliveries.begin();
    const end = async (): Promise<void> => {
      await deliveries.stop();
      cursors.close();
    };
    return { deliveries, end };
  };
  const add = (name: string, url: string, over: object = {}) =>
    bus.must({ type: 'AddWebhook', data: { name, url, types: [], after: null, secret: SECRET, ...over } });
  const used = (n: number) => journal.append(traffic({ run: 'r1', clients: [[1, n, n]] }));
  return { cluster, journal, bus, begin, add, used, file, warnings };
}

function started(given: ReturnType<typeof setup>) {
  const running = given.begin();
  onTestFinished(running.end);
  return running.deliveries;
}

const positionsOf = (all: readonly { json: { data: { position: number } } }[]) =>
  all.map(({ json }) => json.data.position);

describe('the deliveries of a webhook', () => {
  it('are all events after it was added, in order, each with its id and signed', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('billing', receiver.url);
    const first = given.journal.log.head().position + 1;
    started(given);
    for (let n = 1; n <= 25; n += 1) given.used(n);
    await eventually(() => expect(receiver.all).toHaveLength(25));
    expect(positionsOf(receiver.all)).toStrictEqual(Array.from({ length: 25 }, (_, i) => first + i));
    const events = given.journal.log.read(first - 1, 25);
    expect(receiver.all.map(({ headers }) => headers['webhook-id'])).toStrictEqual(events.map(({ id }) => id));
    expect(receiver.all.every((request) => isSigned(request, SECRET))).toBe(true);
    expect(JSON.stringify(receiver.all)).not.toContain(SECRET);
  });

  it('wait until the cluster has confirmed the events', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('billing', receiver.url);
    given.cluster.confirms = false;
    const first = given.journal.log.head().position + 1;
    started(given);
    given.used(1);
    await eventually(() => expect(given.cluster.asked).toBeGreaterThan(1));
    expect(receiver.all).toStrictEqual([]);
    given.cluster.confirms = true;
    await eventually(() => expect(positionsOf(receiver.all)).toStrictEqual([first]));
  });

  it('are those of the types and groups chosen', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('clients', receiver.url, { types: ['clients'] });
    given.add('polls', receiver.url, { types: ['TrafficRecorded'] });
    started(given);
    given.used(1);
    given.bus.must({ type: 'AddClients', data: { inbound: one, clients: [draft('alice', 1)] } });
    given.bus.must({ type: 'StopCore', data: {} });
    given.used(2);
    await eventually(() => expect(receiver.all).toHaveLength(3));
    expect(receiver.all.map(({ json }) => json.type).sort()).toStrictEqual([
      'ClientAdded',
      'TrafficRecorded',
      'TrafficRecorded',
    ]);
  });

  it('include a change of many clients for those who chose that of one', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('deletions', receiver.url, { types: ['ClientDeleted'] });
    given.add('resets', receiver.url, { types: ['ClientTrafficReset'] });
    given.add('many', receiver.url, { types: ['ClientsDeleted'] });
    started(given);
    const clients = Array.from({ length: 10 }, (_, i) => draft(`client-${i}`, i + 1));
    const added = given.bus.must({ type: 'AddClients', data: { inbound: one, clients } });
    const numbers = added.flatMap((event) => (event.type === 'ClientAdded' ? event.data.client : []));
    given.bus.must({ type: 'DeleteClients', data: { clients: numbers.slice(0, 9) } });
    given.bus.must({ type: 'DeleteClients', data: { clients: numbers.slice(9) } });
    await eventually(() => expect(receiver.all).toHaveLength(3));
    expect(receiver.all.map(({ json }) => json.type).sort()).toStrictEqual([
      'ClientDeleted',
      'ClientsDeleted',
      'ClientsDeleted',
    ]);
  });

  it('continue after the last accepted one when the panel starts again', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('billing', receiver.url);
    const running = given.begin();
    for (let n = 1; n <= 3; n += 1) given.used(n);
    await eventually(() => expect(receiver.all).toHaveLength(3));
    await running.end();
    for (let n = 4; n <= 6; n += 1) given.used(n);
    started(given);
    await eventually(() => expect(receiver.all).toHaveLength(6));
    expect(new Set(positionsOf(receiver.all)).size).toBe(6);
  });

  it('have no gap and keep their order, whatever the receiver answers and whenever the panel ends', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ do: fc.constant('restart' as const) }),
      fc.record({ do: fc.constant('replay' as const) }),
      fc.record({ do: fc.constant('settle' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.constantFrom('ok' as const, 'fail' as const, 'drop' as const), { maxLength: 8 }),
        async (steps, faults) => {
          const accepted: number[] = [];
          const answers = [...faults];
          const web = {
            request: async (_url: string, request: { body?: unknown } = {}) => {
              await new Promise((resolve) => setImmediate(resolve));
              const { data } = JSON.parse(String(request.body)) as { data: { position: number } };
              const answer = answers.shift() ?? 'ok';
              // The receiver has it, but its answer is lost.
              if (answer !== 'fail') accepted.push(data.position);
              return { status: answer === 'ok' ? 200 : 500, headers: {}, body: Buffer.alloc(0) };
            },
          };
          const given = setup(web);
          given.add('billing', 'https://example.com/');
          const first = given.journal.log.head().position + 1;
          let running = given.begin();
          for (const one of steps) {
            if (one.do === 'append') for (let n = 0; n < one.count; n += 1) given.used(n + 1);
            else if (one.do === 'restart') {
              await running.end();
              running = given.begin();
            } else if (one.do === 'replay')
              given.bus.must({ type: 'ReplayWebhook', data: { webhook: 1, after: first - 1 } });
            else await new Promise((resolve) => setImmediate(resolve));
          }
          // Without faults and pauses the rest arrives.
          answers.length = 0;
          given.bus.must({ type: 'PauseWebhook', data: { webhook: 1 } });
          given.bus.must({ type: 'ResumeWebhook', data: { webhook: 1 } });
          const head = given.journal.log.head().position;
          await eventually(() => expect(accepted.at(-1)).toBe(head));
          await running.end();
          const missing = Array.from({ length: head - first + 1 }, (_, i) => first + i).filter(
            (position) => !accepted.includes(position),
          );
          expect(missing).toStrictEqual([]);
          // The next one is at most one later than the last, or an earlier one is repeated.
          for (const [i, position] of accepted.entries())
            expect(position).toBeLessThanOrEqual((accepted[i - 1] ?? first - 1) + 1);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('wait for a receiver that fails, without delaying another webhook or the log', async () => {
    const given = setup();
    const dead = await startReceiver((_req, res) => void res.writeHead(503).end());
    const silent = await startReceiver(() => undefined);
    const good = await startReceiver();
    given.add('dead', dead.url);
    given.add('silent', silent.url);
    given.add('good', good.url, { types: ['traffic'] });
    const deliveries = started(given);
    for (let n = 1; n <= 200; n += 1) given.used(n);
    await eventually(() => expect(good.all).toHaveLength(200));
    expect(new Set(positionsOf(dead.all)).size).toBe(1);
    expect(silent.all).toHaveLength(1);
    expect(deliveries.status(1)).toMatchObject({ problem: { code: 'network.receiverStatus' }, delivered: 0 });
    dead.does.answer = (_req, res) => void res.writeHead(200).end();
    given.bus.must({ type: 'PauseWebhook', data: { webhook: 1 } });
    given.bus.must({ type: 'ResumeWebhook', data: { webhook: 1 } });
    await eventually(() => expect(new Set(positionsOf(dead.all)).size).toBeGreaterThan(200));
  });

  it('are signed with both secrets during an overlap, and only with the new one afterwards', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('billing', receiver.url, { types: ['traffic'] });
    started(given);
    const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    given.bus.must({ type: 'RotateWebhookSecret', data: { webhook: 1, secret: next, overlapMs: 60_000 } });
    given.used(1);
    await eventually(() => expect(receiver.all).toHaveLength(1));
    given.journal.clock.advance(60_001);
    given.used(2);
    await eventually(() => expect(receiver.all).toHaveLength(2));
    expect(receiver.all.map((request) => [isSigned(request, SECRET), isSigned(request, next)])).toStrictEqual([
      [true, true],
      [false, true],
    ]);
  });

  it('pause when the receiver is gone, and are sent again after a replay', async () => {
    const given = setup();
    const receiver = await startReceiver((_req, res) => void res.writeHead(410).end());
    given.add('billing', receiver.url, { types: ['traffic'] });
    started(given);
    given.used(1);
    await eventually(() => expect(given.bus.state.webhooks.byId.get(WebhookId.parse(1))?.paused).toBe('gone'));
    receiver.does.answer = (_req, res) => void res.writeHead(200).end();
    given.used(2);
    given.bus.must({ type: 'ResumeWebhook', data: { webhook: 1 } });
    await eventually(() => expect(receiver.all).toHaveLength(3));
    given.bus.must({ type: 'ReplayWebhook', data: { webhook: 1, after: 0 } });
    await eventually(() => expect(receiver.all).toHaveLength(5));
    const [, a, b, again, last] = positionsOf(receiver.all);
    expect([again, last]).toStrictEqual([a, b]);
  });

  it('send an event that the receiver rejects eight times, then make it a dead letter and continue', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sent: number[] = [];
    let poison = 0;
    const given = setup({
      request: async (_url, request = {}) => {
        const { data } = JSON.parse(String(request.body)) as { data: { position: number } };
        sent.push(data.position);
        return { status: data.position === poison ? 422 : 200, headers: {}, body: Buffer.alloc(0) };
      },
    });
    given.add('billing', 'https://example.com/', { types: ['traffic'] });
    const deliveries = started(given);
    poison = given.journal.log.head().position + 1;
    given.used(1);
    given.used(2);
    while (sent.at(-1) !== poison + 1) {
      given.journal.clock.advance(60_000);
      await vi.advanceTimersByTimeAsync(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(deliveries.status(1)?.delivered).toBe(1));
    expect(sent).toStrictEqual([...Array<number>(8).fill(poison), poison + 1]);
    const webhook = given.bus.state.webhooks.byId.get(WebhookId.parse(1));
    expect(webhook?.deadLetters).toMatchObject([{ event: poison, type: 'TrafficRecorded', attempts: 8 }]);
    expect(deliveries.status(1)).toMatchObject({ delivered: 1, problem: null });
    poison = 0;
    const letter = webhook ?? expect.fail('there is no webhook');
    expect(await deliveries.redeliver(letter, letter.deadLetters[0]?.event ?? 0)).toMatchObject({ result: 'accepted' });
  });

  it('continue where the present history of the log begins when the cursor is of another one', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('billing', receiver.url);
    const running = given.begin();
    given.used(1);
    await eventually(() => expect(receiver.all).toHaveLength(1));
    await running.end();
    const { position } = given.journal.log.head();
    given.journal.append(LogLossAccepted({ expectedPosition: 9, foundPosition: position, previousGeneration: null }));
    const cursors = new WebhookCursorFile(given.file, () => undefined);
    const epoch = given.bus.state.webhooks.byId.get(WebhookId.parse(1))?.epoch ?? 0;
    cursors.put({ webhook: 1, epoch, position: position + 50, hash: 'ff' });
    cursors.close();
    given.used(2);
    started(given);
    await eventually(() => expect(receiver.all).toHaveLength(3));
    expect(positionsOf(receiver.all).slice(1)).toStrictEqual([position + 1, position + 2]);
  });

  it('survive a damaged file of cursors', async () => {
    const given = setup();
    const receiver = await startReceiver();
    given.add('billing', receiver.url);
    given.used(1);
    writeFileSync(given.file, 'not a database, but long enough to be read as the header of one'.repeat(10));
    started(given);
    await eventually(() => expect(receiver.all).toHaveLength(1));
    expect(given.warnings).toHaveLength(1);
  });
});

it('a test delivery is signed, and shows what the receiver answers', async () => {
  const given = setup();
  const receiver = await startReceiver((_req, res) => void res.writeHead(500).end());
  given.add('billing', receiver.url);
  const deliveries = started(given);
  const webhook = given.bus.state.webhooks.byId.get(WebhookId.parse(1)) ?? expect.fail('there is no webhook');
  expect(await deliveries.test(webhook)).toMatchObject({ result: 'failed', status: 500 });
  expect(receiver.all.map(({ json }) => json.type)).toStrictEqual(['WebhookTest']);
  expect(receiver.all.every((request) => isSigned(request, SECRET))).toBe(true);
});
