import { array, assert as check, constantFrom, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRollUp } from '../../../../src/commands/reactors/traffic/roll-up.js';
import { panelState } from '../../../../src/commands/state.js';
import type { PanelEvent, RecordedEvent } from '../../../../src/events/catalog.js';
import { ClientTrafficReset } from '../../../../src/events/client/client.js';
import { CoreStarted } from '../../../../src/events/core.js';
import { savedState } from '../../../../src/events/log/fold.js';
import { begin, catchUp } from '../../../../src/events/log/replay.js';
import { LogReadModels } from '../../../../src/projections/read-models.js';
import { verifyLog } from '../../../../src/store/verify.js';
import { clientAdded, DAY, first, HOUR, inboundAdded, T0, traffic } from '../../../kit/builders.js';
import { playedLogs, steps } from '../../../kit/history/history.js';
import { busOver, readAll, TestLog } from '../../../kit/log.js';

const used = (bytes: number, run = 'r1') => traffic({ run, clients: [[1, bytes, 2 * bytes]] });

/** Bytes of each client, inbound and outbound in each hour, as in a daily or hourly statement. */
function statement(events: readonly RecordedEvent[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const event of events) {
    if (event.type !== 'TrafficRecorded' && event.type !== 'NodeTrafficRecorded') continue;
    const hour = Math.floor(event.meta.at / HOUR);
    const { clients, inbounds } = event.data;
    const outbounds = event.type === 'TrafficRecorded' ? event.data.outbounds : [];
    const lists: Record<string, readonly (readonly [string | number, number, number, ...unknown[]])[]> = {
      clients,
      inbounds,
      outbounds,
    };
    for (const [kind, list] of Object.entries(lists)) {
      for (const [key, up, down] of list) {
        const name = `${kind} ${key} ${hour}`;
        totals[name] = (totals[name] ?? 0) + up + 1e9 * down;
      }
    }
  }
  return totals;
}

describe('a roll-up', () => {
  it('changes no read model and no statement, and removes its payloads', () => {
    const open = playedLogs();
    let pruned = 0;
    check(
      property(steps(150), (history) => {
        const { journal, read, player } = open();
        player.play(history);
        const before = statement(readAll(journal.log));
        const { position } = journal.log.head();
        journal.clock.advance(1);
        const [rolledUp] = player.rollUp(0);
        if (rolledUp?.type === 'MeasurementsRolledUp') {
          const { fromPosition: from, toPosition: to, prunedCount: count, digest: proof } = rolledUp.data;
          pruned += count;
          const rows = journal.log.stored.rows(from - 1, to - from + 1);
          expect(rows.filter(({ measured, payload }) => (measured === 1) !== (payload === null))).toStrictEqual([]);
          expect(journal.log.measuredRoot(from, to)).toStrictEqual({ root: proof, count });
          expect(to).toBeLessThanOrEqual(position);
        }
        expect(statement(readAll(journal.log))).toStrictEqual(before);
        expect(new LogReadModels(journal.log).follower.digests()).toStrictEqual(read.follower.digests());
        // Once more finds nothing to do.
        expect(player.rollUp(0)).toStrictEqual([]);
        journal.log.close();
      }),
      { numRuns: 30 },
    );
    expect(pruned).toBeGreaterThan(30);
  });

  it('changes nothing when the clock was wrong for a while, and leaves no payload', () => {
    const open = playedLogs();
    let [pruned, ahead] = [0, 0];
    const days = constantFrom(0, 0, 400, 400, 2, -1, -3000);
    check(
      property(array(tuple(days, steps(40)), { minLength: 2, maxLength: 5 }), (pieces) => {
        const { journal, bus, read, player } = open();
        for (const [shift, history] of pieces) {
          journal.clock.advance(shift * DAY);
          player.play(history);
          journal.clock.advance(-shift * DAY);
        }
        journal.clock.advance(DAY);
        journal.append(used(1));
        journal.clock.advance(1);
        const before = statement(readAll(journal.log));
        const { position } = journal.log.head();
        const [rolledUp] = player.rollUp(0);
        if (rolledUp?.type === 'MeasurementsRolledUp') {
          pruned += rolledUp.data.prunedCount;
          if (rolledUp.data.skewedAfterAt !== undefined) ahead += 1;
        }
        expect(bus.state.rolledTo).toBe(position);
        expect(statement(readAll(journal.log))).toStrictEqual(before);
        expect(new LogReadModels(journal.log).follower.digests()).toStrictEqual(read.follower.digests());
        const replayed = begin(panelState);
        catchUp(journal.log, [replayed]);
        expect(savedState(panelState, replayed.state)).toStrictEqual(savedState(panelState, bus.state));
        expect(verifyLog(journal.log).fault).toBeNull();
        journal.log.close();
      }),
      { numRuns: 40 },
    );
    expect(pruned).toBeGreaterThan(30);
    expect(ahead).toBeGreaterThan(3);
  });

  const plan = (before: number, ...events: readonly PanelEvent[]) => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded());
    for (const event of events) {
      journal.append(event);
      journal.clock.advance(1000);
    }
    const command = planRollUp(journal.log, 0, before, journal.clock.now());
    return command?.type === 'RecordRollUp' ? command.data : null;
  };
  const sums = (data: ReturnType<typeof plan>) =>
    data?.sums.map(({ position: at, sum }) => [at, sum.run, ...sum.clients]);
  const end = T0 + HOUR;

  it('sums up a run within an hour, with the last use of each client', () => {
    expect(sums(plan(end, used(1), used(2), used(3)))).toStrictEqual([[5, 'r1', [1, 6, 12, T0 + 2000]]]);
  });

  it('ends a sum at an event that it must not cross', () => {
    const reset = ClientTrafficReset({ client: first, up: 1, down: 2 });
    expect(sums(plan(end, used(1), reset, used(2), used(3)))).toStrictEqual([
      [3, 'r1', [1, 1, 2, T0]],
      [6, 'r1', [1, 5, 10, T0 + 3000]],
    ]);
  });

  it('separates the runs of the core', () => {
    const started = CoreStarted({ run: 'r2', version: '26', reason: 'start' });
    expect(sums(plan(end, used(1), started, used(2, 'r2')))).toStrictEqual([
      [3, 'r1', [1, 1, 2, T0]],
      [5, 'r2', [1, 2, 4, T0 + 2000]],
    ]);
  });

  it('does not include newer events', () => {
    expect(plan(T0 + 1000, used(1), used(2), used(3))).toMatchObject({
      fromPosition: 1,
      toPosition: 3,
      prunedCount: 1,
      firstAt: T0,
      lastAt: T0,
    });
    expect(plan(T0, used(1))).toBeNull();
  });

  const at = (times: readonly number[], before: number, now: number) => {
    const journal = new TestLog();
    for (const time of times) {
      journal.clock.set(time);
      journal.append(used(1));
    }
    const command = planRollUp(journal.log, 0, before, now);
    return command?.type === 'RecordRollUp' ? command.data : null;
  };
  const [now, due] = [T0 + 100 * HOUR, T0 + 50 * HOUR];
  const future = T0 + 9000 * HOUR;

  it('includes events of a clock that was ahead if later events are old', () => {
    expect(at([T0, future, future, T0 + HOUR, T0 + 60 * HOUR], due, now)).toMatchObject({
      ...{ fromPosition: 1, toPosition: 4, prunedCount: 4, firstAt: T0, lastAt: T0 + HOUR, skewedAfterAt: now },
    });
    expect(at([future, T0 + HOUR], due, now)).toMatchObject({
      fromPosition: 1,
      toPosition: 2,
      firstAt: now,
      lastAt: T0 + HOUR,
    });
  });

  it('does not include events of a clock that was ahead if no later event is old', () => {
    expect(at([T0, future], due, now)).toMatchObject({ toPosition: 1 });
    expect(at([T0, future, T0 + 60 * HOUR, T0], due, now)).toMatchObject({ toPosition: 1 });
    expect(at([T0, future], due, now)?.skewedAfterAt).toBeUndefined();
  });

  it('processes a backlog in parts', () => {
    const journal = new TestLog();
    for (let i = 0; i < 5; i += 1) journal.append(...Array.from({ length: 5000 }, () => used(1)));
    const { must, state } = busOver(journal.log, journal.clock);
    journal.clock.advance(HOUR);
    const next = () => planRollUp(journal.log, state.rolledTo, journal.clock.now(), journal.clock.now());
    for (const rolledTo of [20_000, 25_000]) {
      must(next() ?? expect.fail('there is nothing to roll up'));
      expect(state.rolledTo).toBe(rolledTo);
    }
  });

  it('does nothing when there is no measurement', () => {
    expect(plan(end)).toBeNull();
  });
});
