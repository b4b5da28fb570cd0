import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { NEVER } from 'rxjs';
import type { RecordedEvent } from '../events/catalog.js';
import { isAboutMany } from '../events/client/members.js';
import type { CheckpointStore, TakenPart } from '../events/log/checkpoint-store.js';
import type { EventLog } from '../events/log/log.js';
import { advance, catchUp, type Folding, replayCost } from '../events/log/replay.js';
import { inSlices } from '../lib/time/slices.js';
import type { Identity } from './checkpoint-columns.js';
import { checkpointParts, placesOf, restored, withoutKeys } from './checkpoints.js';
import { type Foldings, startFolds } from './foldings.js';
import { LogReadModels, type ReadModels } from './read-models.js';

/** The read models as they were after an event. */
export interface Moment {
  readonly position: number;
  /** When the event happened, ms since 1970. */
  readonly at: number;
  readonly read: ReadModels;
}

/** Moments that are kept. Each takes as much memory as the read models of the running panel. */
const MAX_KEPT = 3;
/** Parts with the identities of 500 clients each that are kept for the next moments: most moments share them. */
const MAX_IDENTITIES = 256;
/** Work between two turns of the event loop, in ms, and the number of events to begin with. */
const TURN_MS = 4;
const FIRST_PAGE = 20;
const MAX_PAGE = 500;
/** Estimated work of a replay between two checkpoints, in microseconds. */
const SPACING = 150_000;
/** A request waits for a checkpoint that it adds, so it adds none where the next one is near. */
const LONGER_SPACING = 1.25;

/** How the log is folded: `rest` between two pieces of work, and whether the moment is kept. */
interface Folds {
  readonly rest: () => Promise<unknown>;
  readonly keep: boolean;
}

type Log = Pick<EventLog, 'read' | 'appended$'>;

/**
 * Folds the log up to earlier positions, from the checkpoint before. One fold runs at a time, in turns, so that other
 * requests are answered meanwhile; requests for the same moment share it. After a data key was destroyed, the moments and the
 * checkpoints do not contain its data.
 */
export class Moments {
  readonly #log: Log;
  readonly #kept = new LRUCache<number, Moment>({ max: MAX_KEPT });
  readonly #identities = new LRUCache<string, readonly Identity[]>({ max: MAX_IDENTITIES });
  readonly #underWay = new Map<number, Promise<Moment>>();
  readonly #elapsed: () => number;
  readonly #checkpoints: CheckpointStore | null;
  readonly #spacing: number;
  /** Parts of checkpoints that contain data under destroyed keys, with the names of the keys. */
  #taken: { readonly part: TakenPart; readonly keys: Set<string> }[] = [];
  #last: Promise<unknown> = Promise.resolve();
  /** Increase when data is erased, or measurements are summed up. What began before must not be stored. */
  #erasures = 0;
  #rollUps = 0;

  /** `elapsed`: ms on a clock that is never set, for the length of a turn. `spacing`: work between checkpoints, in microseconds. */
  constructor(
    log: Log,
    elapsed: () => number,
    {
      checkpoints = null,
      spacing = SPACING,
    }: { readonly checkpoints?: CheckpointStore | null; readonly spacing?: number } = {},
  ) {
    this.#spacing = spacing;
    this.#log = log;
    this.#elapsed = elapsed;
    this.#checkpoints = checkpoints;
    log.appended$.subscribe((events) => this.#erase(events));
  }

  /** The moment after the event at `position`, which must exist. */
  async after(position: number): Promise<Moment> {
    const known = this.#kept.get(position) ?? this.#underWay.get(position);
    if (known) return known;
    const folding = this.#last.then(() => this.#fold(position));
    this.#last = folding.catch(() => undefined);
    this.#underWay.set(position, folding);
    try {
      return await folding;
    } finally {
      if (this.#underWay.get(position) === folding) this.#underWay.delete(position);
    }
  }

  /** Stores the checkpoints that are missing before the head. `rest` runs between two pieces of work. */
  async prepare(head: number, rest: () => Promise<unknown>): Promise<void> {
    if (this.#checkpoints && head > 0) await this.#fold(head, { rest, keep: false });
  }

  /** Stores checkpoints of models that follow the log. `changed$`: batches of events that they have applied. */
  follow({ changed$, follower }: Pick<ReadModels, 'changed$' | 'follower'>): void {
    let [cost, saving] = [0, false];
    changed$.subscribe((events) => {
      const last = events.at(-1);
      for (const event of events) cost += replayCost(event);
      if (cost < this.#spacing || saving || !last) return;
      [cost, saving] = [0, true];
      void this.#save(last, follower.foldings, true).finally(() => (saving = false));
    });
  }

  /** Forgets what was erased: moments at once, and the parts of checkpoints that contain it. */
  #erase(events: readonly RecordedEvent[]): void {
    for (const { type, data } of events) {
      if (type === 'MeasurementsRolledUp') {
        this.#erasures += 1;
        this.#rollUps += 1;
        // A later sum may include bytes that a checkpoint or a moment in the range already contains.
        const [first, last] = [data.fromPosition, data.toPosition - 1];
        this.#checkpoints?.remove(first, last);
        for (const position of [...this.#kept.keys()])
          if (position >= first && position <= last) this.#kept.delete(position);
      }
      if (type === 'LogLossAccepted') this.#checkpoints?.clear();
      if (type !== 'DataKeyDestroyed') continue;
      this.#erasures += 1;
      this.#kept.clear();
      this.#underWay.clear();
      this.#identities.clear();
      this.#eraseKey(data.key);
    }
  }

  #eraseKey(key: string): void {
    const places = placesOf(key);
    if (!places) {
      this.#taken = [];
      this.#checkpoints?.clear();
      return;
    }
    const { client, sections } = places;
    for (const { part, keys } of this.#taken)
      if (sections.includes(part.section) && part.low <= client && part.high >= client) keys.add(key);
    const found = sections.flatMap((section) => this.#checkpoints?.take(section, client) ?? []);
    const isIdle = this.#taken.length === 0;
    for (const part of found) this.#taken.push({ part, keys: new Set([key]) });
    if (isIdle) void this.#putBack();
  }

  /** Puts a part back, without what was erased, in each turn of the event loop. */
  async #putBack(): Promise<void> {
    while (this.#taken.length > 0) {
      await nextTurn();
      const next = this.#taken.shift();
      if (next) this.#checkpoints?.put(withoutKeys(next.part, next.keys));
    }
  }

  async #fold(position: number, { rest, keep }: Folds = { rest: nextTurn, keep: true }): Promise<Moment> {
    const [erasures, rollUps] = [this.#erasures, this.#rollUps];
    const begun = await this.#begin(position);
    const { models } = begun;
    const foldings = Object.values(models);
    let { done, at } = begun;
    const spacing = keep ? this.#spacing * LONGER_SPACING : this.#spacing;
    let [size, cost] = [FIRST_PAGE, 0];
    while (done < position) {
      const start = this.#elapsed();
      const read = this.#log.read(done, Math.min(size, position - done)).filter((event) => event.position <= position);
      // An event about many clients takes as long as a page of others.
      const page = read.slice(0, read.findIndex(isAboutMany) + 1 || read.length);
      const last = page.at(-1);
      if (!last) break;
      for (const folding of foldings) advance(folding, page);
      [done, at] = [last.position, last.meta.at];
      for (const event of page) cost += replayCost(event);
      const ms = this.#elapsed() - start;
      size = Math.max(1, Math.min(MAX_PAGE, Math.round((size * TURN_MS) / Math.max(ms, 0.5))));
      await rest();
      // The next sum may include what was already read.
      if (rollUps !== this.#rollUps) return this.#fold(position, { rest, keep });
      if (cost < spacing || erasures !== this.#erasures) continue;
      cost = 0;
      await this.#save(last, foldings, false);
    }
    const moment = { position, at, read: new LogReadModels(frozen(this.#log), undefined, [], models) };
    if (keep && erasures === this.#erasures) this.#kept.set(position, moment);
    return moment;
  }

  /** The models of the last usable checkpoint up to a position, or empty ones. */
  async #begin(position: number): Promise<{ readonly models: Foldings; readonly done: number; readonly at: number }> {
    for (;;) {
      while (this.#taken.length > 0) await nextTurn();
      const done = this.#checkpoints?.nearest(position) ?? 0;
      if (!this.#checkpoints || done === 0) return { models: startFolds(), done: 0, at: 0 };
      const erasures = this.#erasures;
      const parts = this.#checkpoints.parts(done, (digest) => this.#identities.has(digest));
      const found = await inSlices(restored(done, parts, this.#identities));
      if (erasures !== this.#erasures) continue;
      if (found) return { ...found, done };
      this.#checkpoints.remove(done, done);
    }
  }

  /** Stores a checkpoint in turns, unless something is erased meanwhile. `live`: the states follow the log meanwhile. */
  async #save({ position, meta }: RecordedEvent, foldings: readonly Folding[], live: boolean): Promise<void> {
    const erasures = this.#erasures;
    const parts = checkpointParts(foldings, meta.at, live);
    for (const _ of this.#checkpoints?.save(position, parts) ?? []) {
      await nextTurn();
      if (erasures !== this.#erasures) break;
    }
  }
}

/** The read models after the event at a position, folded at once. Position 0 = before the first event. */
export function readModelsAt(log: Pick<EventLog, 'read'>, position: number): ReadModels {
  const models = startFolds();
  catchUp(log, Object.values(models), position);
  return new LogReadModels(frozen(log), undefined, [], models);
}

/** A log from which nothing more comes: the models of a moment do not follow it. */
const frozen = (log: Pick<EventLog, 'read'>): Pick<EventLog, 'read' | 'appended$'> => ({
  read: (position, limit) => (position === 0 ? log.read(position, limit) : []),
  appended$: NEVER,
});
