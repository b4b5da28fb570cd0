import { array, asyncProperty, assert as check, constantFrom, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeListing } from '../../../../src/commands/ports/remote-panel.js';
import { NodeError, type NodeReading } from '../../../../src/commands/ports/remote-panel.js';
import { verbatim } from '../../../../src/messages/message.js';
import { draft, HOUR } from '../../../kit/builders.js';
import { alice, bob, nodeOne, withXui } from './kit.js';

const POLL = 5000;
/** Valid, invalid, declined; our inbound unreadable, under another protocol, under changing names. */
const lists = ['good', 'garbage', 'locked', 'unreadable', 'foreign', 'strange'] as const;
type List = (typeof lists)[number];
const noticed = [
  ...['NodeInboundApplied', 'NodeInboundRemoved', 'NodeInboundRejected', 'NodeUnmanagedItemsFound'],
  ...['NodeSyncFailed', 'NodeSyncRecovered', 'NodeWentOffline', 'NodeWentOnline'],
];

function listed(list: List, { inbounds, unreadable }: NodeListing, n: number): NodeListing {
  switch (list) {
    case 'garbage':
      throw new NodeError('invalid-reply', verbatim(`garbage ${n}`));
    case 'locked':
      throw new NodeError('declined', verbatim(`database is locked ${n}`));
    case 'unreadable':
      return { inbounds: [], unreadable: inbounds.map(({ tag }) => tag) };
    case 'foreign':
      return { inbounds: inbounds.map((one) => ({ ...one, protocol: 'trojan' })), unreadable };
    case 'strange':
      return { inbounds: inbounds.map((one) => ({ ...one, tag: `other ${n}`, digest: `${n}` })), unreadable };
    default:
      return { inbounds, unreadable };
  }
}

/** A node with three inbounds that are in sync; the test determines its listings. */
async function withThree() {
  let list: List | null = null;
  let shown: NodeListing = { inbounds: [], unreadable: [] };
  let said = 0;
  let probed: NodeReading | null = null;
  const centre = await withXui((panel) => {
    const no = () => Promise.reject(new NodeError('declined', verbatim(`no ${(said += 1)}`)));
    return {
      ...panel,
      probe: async (node) => (probed ??= await panel.probe(node)),
      onlines: async () => [],
      async listing(node) {
        if (list === null) shown = await panel.listing(node);
        return listed(list ?? 'good', shown, (said += 1));
      },
      // It declines every request, each time for another reason.
      add: async (...asked) => (list ? no() : panel.add(...asked)),
      update: async (...asked) => (list ? no() : panel.update(...asked)),
    };
  });
  const { addInbound, round, clock, journal, notifications, read } = centre;
  addInbound([alice]);
  addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
  addInbound([draft('carol', 3)], { spec: { port: 8444, tag: 'in-3' } });
  await round();
  expect(read.nodes.outbox(nodeOne).map(({ waiting, refused }) => [waiting.length, refused])).toStrictEqual(
    Array.from({ length: 3 }, () => [0, null]),
  );
  const from = journal.log.head().position;
  /** The node is queried with every poll, and returns this list. */
  const poll = async (next: List): Promise<void> => {
    clock.advance(POLL);
    list = next;
    await round();
  };
  const count = (): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { type } of journal.log.read(from, 10_000)) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  };
  return { ...centre, poll, count, notifications };
}

describe('a node that flaps', () => {
  it('with inbounds that are unreadable in every other listing has nothing recorded', async () => {
    const { poll, count, notifications } = await withThree();
    for (let n = 0; n < 120; n += 1) await poll(n % 2 === 0 ? 'unreadable' : 'good');
    expect([count(), notifications]).toStrictEqual([{}, []]);
  });

  it('with inbounds that stay unreadable has that recorded, and its end after a minute', async () => {
    const { poll, count } = await withThree();
    for (let n = 0; n < 4; n += 1) await poll('unreadable');
    expect(count()).toStrictEqual({});
    await poll('unreadable');
    expect(count()).toStrictEqual({ NodeInboundRejected: 3 });
    for (let n = 0; n < 12; n += 1) await poll('good');
    expect(count()).toStrictEqual({ NodeInboundRejected: 3 });
    await poll('good');
    expect(count()).toStrictEqual({ NodeInboundRejected: 3, NodeInboundApplied: 3 });
  });

  it('with three of four listings declined stays failing, which is recorded once', async () => {
    const { poll, count, read, clock, sync } = await withThree();
    let n = 0;
    for (const end = clock.now() + HOUR / 2; clock.now() < end; n += 1) await poll(n % 4 === 3 ? 'good' : 'locked');
    expect(count()['NodeSyncRecovered']).toBeUndefined();
    expect(count()['NodeSyncFailed']).toBeLessThanOrEqual(4);
    expect(read.nodes.failing(nodeOne)).toBeDefined();
    await poll('locked');
    clock.advance(HOUR);
    for (n = 0; n < 12; n += 1) await poll('good');
    expect([sync.state(nodeOne).error, count()['NodeSyncRecovered']]).toStrictEqual([null, undefined]);
    await poll('good');
    expect([read.nodes.failing(nodeOne), count()['NodeSyncRecovered']]).toStrictEqual([undefined, 1]);
  });

  const stretch = record({ list: constantFrom<List>(...lists), polls: constantFrom(1, 1, 2, 3, 5, 13, 30) });

  it('in any way for an hour has few events recorded', async () => {
    await check(
      asyncProperty(array(stretch, { minLength: 1, maxLength: 6 }), async (stretches) => {
        const { poll, count, notifications, clock } = await withThree();
        const end = clock.now() + HOUR;
        while (clock.now() < end)
          for (const { list, polls } of stretches)
            for (let n = 0; n < polls && clock.now() < end; n += 1) await poll(list);
        const counts = count();
        // About one of each kind in ten minutes, besides the first of each of the three inbounds.
        for (const type of noticed) expect([type, (counts[type] ?? 0) <= 11]).toStrictEqual([type, true]);
        expect(notifications.length).toBeLessThanOrEqual(16);
      }),
      { numRuns: 4 },
    );
  });
});
