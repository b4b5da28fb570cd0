import { assert as check, nat, property, sample } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PanelState, panelState } from '../../src/commands/state.js';
import { beginState, statePartsOf } from '../../src/commands/state-parts.js';
import { foldOf, savedState } from '../../src/events/log/fold.js';
import { detached, joined, partsOf } from '../../src/events/log/parts.js';
import { advance, begin, catchUp, FoldFailure } from '../../src/events/log/replay.js';
import type { SnapshotStore } from '../../src/events/log/snapshot-store.js';
import { PanelStarted } from '../../src/events/panel.js';
import { digest } from '../../src/lib/digest.js';
import { startFolds } from '../../src/projections/foldings.js';
import { digestsOf, LogReadModels } from '../../src/projections/read-models.js';
import { History, playedLogs, steps } from '../kit/history/history.js';
import { busOver, readAll, TestLog } from '../kit/log.js';
import { recorded } from '../kit/spec.js';

/** The write state with its indexes, which its snapshot leaves out. */
const stateDigest = (state: PanelState): string =>
  digest([
    savedState(panelState, state),
    [...state.byEmail].sort(([a], [b]) => (a < b ? -1 : 1)),
    state.byCredential,
    state.clientsOf,
  ]);

/** The digests of a new panel over the same log, with or without snapshots. */
function anew(log: TestLog['log'], snapshots?: Pick<SnapshotStore, 'load'>): Readonly<Record<string, string>> {
  const { state, foldings } = beginState(snapshots ?? { load: () => null });
  const read = new LogReadModels(log, snapshots, foldings);
  return { ...read.follower.digests(), state: stateDigest(state) };
}

describe('a replay', () => {
  it('has the same state as the running panel: from the first event, and from a snapshot', {
    timeout: 600_000,
  }, async () => {
    const open = playedLogs();
    check(
      property(steps(200), nat(150), nat(), (history, cut, upgrade) => {
        const { journal, bus, read, player } = open();
        player.play(history.slice(0, cut));
        const kept = new Map<string, { position: number; state: unknown }>();
        const parts = (value: unknown): unknown => joined(structuredClone([...partsOf(value).parts]));
        const { position } = journal.log.head();
        const state = { fold: panelState, state: bus.state, position };
        for (const folding of [...read.follower.foldings, ...statePartsOf(state)]) {
          const saved = detached(savedState(folding.fold, folding.state));
          kept.set(folding.fold.name, { position: folding.position, state: saved });
        }
        player.play(history.slice(cut));
        // It is encoded while further events are applied.
        for (const [name, { position: at, state: saved }] of kept)
          kept.set(name, { position: at, state: parts(saved) });

        const live = { ...read.follower.digests(), state: stateDigest(bus.state) };
        expect(anew(journal.log)).toStrictEqual(live);
        // Alone, a fold does not get the events that it ignores.
        const alone = startFolds();
        for (const folding of Object.values(alone)) catchUp(journal.log, [folding]);
        expect({ ...digestsOf(alone), state: live.state }).toStrictEqual(live);
        // A loaded state shares parts with its snapshot, and is changed.
        const snapshots = { load: (name: string) => structuredClone(kept.get(name) ?? null) };
        // Data destroyed since must not return from a snapshot: the panel deletes its snapshots then.
        const shredded = readAll(journal.log).some(
          (event) => event.type === 'DataKeyDestroyed' && event.position > position,
        );
        // A snapshot from before the end of a roll-up is not used either: a sum may repeat its events.
        const usable = !shredded && position >= journal.log.rolledTo;
        if (usable) expect(anew(journal.log, snapshots)).toStrictEqual(live);
        // A new release cannot use the snapshots of the folds that it changes.
        const names = [...kept.keys()];
        const changed = (name: string): boolean => ((upgrade >> (names.indexOf(name) % 31)) & 1) === 1;
        const old = { load: (name: string) => (changed(name) ? null : snapshots.load(name)) };
        if (usable) expect(anew(journal.log, old)).toStrictEqual(live);
        journal.reopen();
        expect(anew(journal.log)).toStrictEqual(live);
        journal.log.close();
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('is tested with histories that contain the relevant events', { timeout: 600_000 }, () => {
    const seen = new Set<string>();
    // A fixed seed: which events random histories reach must not depend on chance.
    for (const history of sample(steps(200), { seed: 1, numRuns: 40 })) {
      const journal = new TestLog();
      new History(busOver(journal.log, journal.clock), journal.log).play(history);
      for (const { type } of readAll(journal.log)) seen.add(type);
      journal.log.close();
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'DataKeyDestroyed',
        'MeasurementsRolledUp',
        'ClientDepleted',
        'ClientCredentialRotated',
        'ClientTrafficTransferred',
        'ClientsUpdated',
        'ClientsDeleted',
        'ClientsTrafficReset',
        'ClientIpsSeen',
        'ClientIpsBlocked',
        'ClientIpsUnblocked',
        'NodeTrafficRecorded',
        'NodeInboundApplied',
        'LoggedIn',
        'TwoFactorCodeUsed',
        'SessionsRevoked',
      ]),
    );
  });

  it('can stop at a position', () => {
    const journal = new TestLog();
    for (let i = 0; i < 5; i += 1) journal.append(PanelStarted({ version: String(i) }));
    const models = startFolds();
    catchUp(journal.log, Object.values(models), 3);
    expect(models.timeline.state.map(({ position }) => position)).toStrictEqual([1, 2, 3]);
    const digests = digestsOf(models);
    catchUp(journal.log, Object.values(models));
    expect(models.timeline.position).toBe(5);
    expect(digestsOf(models)).not.toStrictEqual(digests);
  });
});

describe('a fold', () => {
  const count = foldOf<{ seen: number[] }>({
    name: 'count',
    version: 1,
    initial: () => ({ seen: [] }),
    on: {
      PanelStarted: (state, { position }) => void state.seen.push(position),
      PanelStopped: () => {
        throw new Error('poison');
      },
    },
    save: (state) => state,
    load: (saved: { seen: number[] }) => saved,
  });

  it('applies each event once', () => {
    const folding = begin(count);
    const events = recorded([1, 2, 3].map((n) => PanelStarted({ version: String(n) })));
    advance(folding, events.slice(0, 2));
    advance(folding, events);
    expect(folding.state.seen).toStrictEqual([1, 2, 3]);
  });

  it('that throws reports its name and the event', () => {
    const folding = begin(count);
    const events = recorded([PanelStarted({ version: '1' }), { type: 'PanelStopped', data: {} }]);
    expect(() => advance(folding, events)).toThrow(FoldFailure);
    expect(() => advance(folding, events)).toThrow('count failed at position 2 (PanelStopped): poison');
    expect(folding.position).toBe(1);
  });
});
