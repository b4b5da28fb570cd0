import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asSystem } from '../../../../src/commands/bus.js';
import { type HeadSinks, SinkError } from '../../../../src/commands/ports/head-sinks.js';
import { HeadPublisher } from '../../../../src/commands/reactors/proof/head-publisher.js';
import { Rejection } from '../../../../src/commands/rejection.js';
import { isSignedBy, type SignedHead } from '../../../../src/lib/proof/signed-head.js';
import { verbatim } from '../../../../src/messages/message.js';
import { HOUR } from '../../../kit/builders.js';
import { busOver, TestLog } from '../../../kit/log.js';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A publisher over a log, with places that accept or refuse as the test says. */
function start({ proofFile = '/srv/heads.jsonl', proofWebhook = '', proofPanel = '' } = {}) {
  const { log } = new TestLog();
  const wall = { offset: 0 };
  const bus = busOver(log);
  const now = (): number => Date.now() + wall.offset;
  bus.must({ type: 'RecordPanelStarted', data: { version: '1.0.0' } });
  if (proofFile + proofWebhook + proofPanel !== '')
    bus.must({
      type: 'ChangeSettings',
      data: { changes: { proofFile, proofWebhook, proofPanel, ...(proofPanel && { proofPanelToken: 't' }) } },
    });
  const accepted: SignedHead[] = [];
  const attempts: string[] = [];
  const refusing = new Set<string>();
  /** Heads that another panel accepts. */
  const full = { at: Number.POSITIVE_INFINITY };
  const sinks: HeadSinks = {
    async publish({ sink }, heads) {
      attempts.push(sink);
      if (refusing.has(sink)) throw new SinkError(verbatim('full'));
      if (sink === 'panel' && accepted.length >= full.at) throw new SinkError(verbatim('too many'));
      if (sink !== 'webhook') accepted.push(...heads);
    },
  };
  /** Of the cluster. */
  const cluster = { confirms: true };
  const publisher = new HeadPublisher({
    confirmed: async () => cluster.confirms,
    ...{ log, sinks, now, warn: () => undefined, token: () => '', changed$: log.appended$ },
    panelId: () => log.at(1)?.id ?? '',
    proofs: () => bus.state.proofs,
    settings: () => bus.state.settings,
    dispatch: (command) => bus.dispatch(command, asSystem('proof')),
  });
  publisher.begin();
  const types = (): string[] => log.read(2, 1000).map(({ type }) => type);
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  return { cluster, log, bus, wall, publisher, accepted, attempts, refusing, full, types, pass };
}

describe('the publisher of heads', () => {
  it('signs a head at once and then each hour', async () => {
    const { bus, accepted, types, pass, log } = start();
    await pass(1000);
    expect(types()).toStrictEqual(['HeadKeyCreated', 'HeadSigned', 'HeadsPublished']);
    await pass(HOUR - 2 * MINUTE);
    expect(accepted).toHaveLength(1);
    await pass(4 * MINUTE);
    expect(accepted).toHaveLength(2);
    for (const head of accepted) {
      expect(isSignedBy(head, bus.state.proofs.key?.publicKey ?? '')).toBe(true);
      expect(head.hash).toBe(log.hashAt(head.position));
    }
  });

  it('publishes a head once the cluster has confirmed it', async () => {
    const { cluster, accepted, types, pass } = start();
    cluster.confirms = false;
    await pass(1000);
    expect([types(), accepted]).toStrictEqual([['HeadKeyCreated', 'HeadSigned'], []]);
    cluster.confirms = true;
    await pass(MINUTE);
    expect(types()).toStrictEqual(['HeadKeyCreated', 'HeadSigned', 'HeadsPublished']);
    expect(accepted).toHaveLength(1);
  });

  it('does not send a head again that another panel has accepted before it refused the next one', async () => {
    const { accepted, refusing, full, types, pass } = start({ proofFile: '', proofPanel: 'https://other.example' });
    await pass(1000);
    refusing.add('panel');
    await pass(5 * HOUR);
    expect(accepted).toHaveLength(1);
    full.at = 3;
    refusing.clear();
    await pass(HOUR + 5 * MINUTE);
    expect(accepted).toHaveLength(3);
    full.at = Number.POSITIVE_INFINITY;
    await pass(HOUR + 5 * MINUTE);
    const positions = accepted.map(({ position }) => position);
    expect(positions).toStrictEqual([...new Set(positions)].sort((a, b) => a - b));
    expect(positions.length).toBeGreaterThan(6);
    // The refusal of the first head, and the one after the two that were accepted.
    expect(types().filter((type) => type === 'HeadPublicationFailed')).toHaveLength(2);
  });

  it('does nothing without a place, and begins when the settings name one', async () => {
    const { bus, accepted, types, pass } = start({ proofFile: '' });
    await pass(2 * HOUR);
    expect(types()).toStrictEqual([]);
    bus.must({ type: 'ChangeSettings', data: { changes: { proofFile: '/srv/other.jsonl' } } });
    await pass(1000);
    expect(accepted).toHaveLength(1);
  });

  it('signs at once when the clock was set back or ahead by an hour, and never later than after an hour', async () => {
    const { wall, accepted, pass } = start();
    await pass(1000);
    wall.offset = -2 * HOUR;
    await pass(MINUTE);
    expect(accepted).toHaveLength(2);
    wall.offset = 3 * HOUR;
    await pass(MINUTE);
    expect(accepted).toHaveLength(3);
    wall.offset -= HOUR / 2;
    await pass(HOUR + MINUTE);
    expect(accepted.length).toBeGreaterThanOrEqual(4);
    const positions = accepted.map(({ position }) => position);
    expect(positions).toStrictEqual(positions.toSorted((a, b) => a - b));
    const times = accepted.map(({ at }) => at);
    expect(times).not.toStrictEqual(times.toSorted((a, b) => a - b));
  });

  it('retries a place after 1, 2, 4 minutes, records one failure, and brings it all that it missed', async () => {
    const { refusing, attempts, accepted, types, pass, publisher } = start();
    refusing.add('file');
    await pass(1000);
    expect(attempts).toHaveLength(1);
    expect(publisher.state()).toMatchObject([{ sink: 'file', waiting: 1, failing: { attempts: 1 } }]);
    await pass(8 * MINUTE);
    expect(attempts).toHaveLength(4);
    await pass(2 * HOUR);
    expect(types().filter((type) => type === 'HeadPublicationFailed')).toHaveLength(1);
    expect(types().filter((type) => type === 'HeadSigned').length).toBeGreaterThanOrEqual(3);
    refusing.clear();
    await pass(HOUR + MINUTE);
    expect(publisher.state()).toMatchObject([{ waiting: 0, failing: null }]);
    // A place that has never accepted a head begins with the newest one.
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    const before = accepted.length;
    refusing.add('file');
    await pass(3 * HOUR);
    refusing.clear();
    await pass(2 * HOUR);
    expect(accepted.length).toBeGreaterThanOrEqual(before + 3);
    const positions = accepted.map(({ position }) => position);
    expect(new Set(positions).size).toBe(positions.length);
    expect(positions).toStrictEqual(positions.toSorted((a, b) => a - b));
  });

  it('begins at a place that has not accepted a head yet with the newest one, and then brings each', async () => {
    const { refusing, accepted, pass, bus } = start();
    refusing.add('file');
    await pass(3 * HOUR + MINUTE);
    const signed = bus.state.proofs.heads.map(({ position }) => position);
    expect(signed.length).toBeGreaterThanOrEqual(3);
    refusing.clear();
    await pass(HOUR / 2 + 30 * MINUTE);
    const positions = accepted.map(({ position }) => position);
    const all = bus.state.proofs.heads.map(({ position }) => position);
    expect(positions.length).toBeGreaterThanOrEqual(1);
    expect(positions.length).toBeLessThan(all.length);
    expect(all.slice(-positions.length)).toStrictEqual(positions);
  });

  it('does not let one place delay another, and ends a pause when its settings are saved', async () => {
    const { bus, refusing, attempts, accepted, pass } = start({ proofWebhook: 'https://example.com/heads' });
    refusing.add('webhook');
    await pass(1000);
    expect(accepted).toHaveLength(1);
    expect(attempts.filter((sink) => sink === 'webhook')).toHaveLength(1);
    bus.must({ type: 'ChangeSettings', data: { changes: { proofWebhook: 'https://example.com/other' } } });
    await pass(1000);
    expect(attempts.filter((sink) => sink === 'webhook')).toHaveLength(2);
  });

  it('signs on demand, and reports why a head cannot be recorded', async () => {
    const { publisher, bus, pass, accepted } = start();
    await pass(1000);
    const publishing = publisher.publish();
    await pass(1000);
    const head = await publishing;
    expect(accepted.at(-1)).toStrictEqual(head);
    bus.must({ type: 'ChangeSettings', data: { changes: { subTitle: 'other' } } });
    const refused = bus.dispatch({ type: 'DeleteNode', data: { node: 7 } } as never, asSystem('cli'));
    const failing = publisher.publish(() => refused as Rejection);
    await pass(1000);
    expect(await failing).toBeInstanceOf(Rejection);
  });

  it('gives the last head back on demand if nothing was appended since', async () => {
    const { bus, publisher, types, pass } = start();
    await pass(1000);
    const signed = () => types().filter((type) => type === 'HeadSigned').length;
    const [first, again] = [await publisher.publish(), await publisher.publish()];
    expect(again).toStrictEqual(first);
    expect(signed()).toBe(1);
    bus.must({ type: 'ChangeSettings', data: { changes: { subTitle: 'other' } } });
    expect(await publisher.publish()).not.toStrictEqual(first);
    expect(signed()).toBe(2);
  });

  it('knows nothing of a place that got another target, also while a head is on its way to the former one', async () => {
    const { bus, publisher, refusing, accepted, pass, attempts } = start();
    await pass(1000);
    expect(publisher.state()).toMatchObject([{ target: '/srv/heads.jsonl', waiting: 0 }]);
    bus.must({ type: 'ChangeSettings', data: { changes: { proofFile: '/srv/other.jsonl' } } });
    expect(publisher.state()).toMatchObject([
      { target: '/srv/other.jsonl', position: 0, at: 0, waiting: 1, failing: null },
    ]);
    await pass(1000);
    expect(accepted).toHaveLength(2);
    expect(publisher.state()).toMatchObject([{ target: '/srv/other.jsonl', waiting: 0 }]);
    refusing.add('file');
    bus.must({ type: 'ChangeSettings', data: { changes: { proofFile: '/srv/third.jsonl' } } });
    await pass(1000);
    expect(publisher.state()).toMatchObject([{ failing: { attempts: 1 } }]);
    bus.must({ type: 'ChangeSettings', data: { changes: { proofFile: '/srv/fourth.jsonl' } } });
    expect(publisher.state()).toMatchObject([{ failing: null }]);
    refusing.clear();
    const before = attempts.length;
    const publication = publisher.publish();
    bus.must({ type: 'ChangeSettings', data: { changes: { proofFile: '/srv/fifth.jsonl' } } });
    await pass(20_000);
    await publication;
    expect(attempts.length).toBeGreaterThan(before);
    expect(publisher.state()).toMatchObject([{ target: '/srv/fifth.jsonl', waiting: 0, failing: null }]);
  });

  it('stops without an error while it works', async () => {
    const { publisher } = start();
    const stopping = publisher.stop();
    await vi.advanceTimersByTimeAsync(1000);
    await stopping;
  });
});
