import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { NEVER } from 'rxjs';
import type { EventLog } from '../events/log/log.js';
import { advance, catchUp } from '../events/log/replay.js';
import { startFolds } from './foldings.js';
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
/** Work between two turns of the event loop, in ms, and the number of events to begin with. */
const TURN_MS = 8;
const FIRST_PAGE = 20;
const MAX_PAGE = 500;

/**
 * Folds the log up to earlier positions. One fold runs at a time, in turns, so that other requests are answered meanwhile;
 * requests for the same moment share it. After a data key was destroyed, every moment is folded again without its data.
 */
export class Moments {
  readonly #log: Pick<EventLog, 'read' | 'appended$'>;
  readonly #kept = new LRUCache<number, Moment>({ max: MAX_KEPT });
  readonly #underWay = new Map<number, Promise<Moment>>();
  readonly #elapsed: () => number;
  #last: Promise<unknown> = Promise.resolve();
  #erasures = 0;

  /** `elapsed`: ms on a clock that is never set, for the length of a turn. */
  constructor(log: Pick<EventLog, 'read' | 'appended$'>, elapsed: () => number) {
    this.#log = log;
    this.#elapsed = elapsed;
    log.appended$.subscribe((events) => {
      if (!events.some(({ type }) => type === 'DataKeyDestroyed')) return;
      this.#erasures += 1;
      this.#kept.clear();
      this.#underWay.clear();
    });
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

  async #fold(position: number): Promise<Moment> {
    const erasures = this.#erasures;
    const models = startFolds();
    const foldings = Object.values(models);
    let [done, size, at] = [0, FIRST_PAGE, 0];
    while (done < position) {
      const start = this.#elapsed();
      const page = this.#log.read(done, Math.min(size, position - done)).filter((event) => event.position <= position);
      const last = page.at(-1);
      if (!last) break;
      for (const folding of foldings) advance(folding, page);
      [done, at] = [last.position, last.meta.at];
      const ms = this.#elapsed() - start;
      size = Math.max(1, Math.min(MAX_PAGE, Math.round((size * TURN_MS) / Math.max(ms, 0.5))));
      await nextTurn();
    }
    const moment = { position, at, read: new LogReadModels(frozen(this.#log), undefined, [], models) };
    if (erasures === this.#erasures) this.#kept.set(position, moment);
    return moment;
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
