import type { EventLog } from '../../../events/log/log.js';
import { inSlices } from '../../../lib/time/slices.js';
import type { Done } from '../../bus.js';
import type { AnyCommand } from '../../catalog.js';
import { Rejection } from '../../rejection.js';
import { rollUpSteps } from './roll-up.js';

const HOUR_MS = 3_600_000;
/** The pause between two roll-ups of a backlog, in ms, in which other work is done. */
const PAUSE_MS = 1000;

interface Parts {
  readonly log: EventLog;
  /** The position up to which measurements are rolled up. */
  readonly rolledTo: () => number;
  /** How long measurements are kept, in hours. */
  readonly hours: () => number;
  /** The first time (ms) from `since` on whose measurements a legal hold keeps; Infinity = none. */
  readonly heldFrom: (since: number) => number;
  readonly dispatch: (command: AnyCommand) => Done | Rejection;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** Rolls up old measurements and erases deleted clients, once an hour, in slices that do not delay other work. */
export class Retention {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The first run is in an hour. */
  begin(): void {
    this.#schedule(HOUR_MS);
  }

  /** Resolves when the work has stopped. */
  async end(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#work;
  }

  #schedule(ms: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#work = this.run()
        .catch((error: unknown) => {
          if (!this.#stopping.signal.aborted)
            this.#parts.warn('old measurements could not be rolled up', { error: String(error) });
          return HOUR_MS;
        })
        .then((pause) => this.#schedule(pause));
    }, ms).unref();
  }

  /** Resolves to the pause before the next run, in ms. Rejects after `end`. */
  async run(): Promise<number> {
    const { log, rolledTo, hours, heldFrom, dispatch, now } = this.#parts;
    const previous = rolledTo();
    const next = log.read(previous, 1)[0]?.meta.at ?? 0;
    const before = Math.min(now() - hours() * HOUR_MS, heldFrom(next));
    const steps = rollUpSteps(log, previous, before, now());
    const rollUp = await inSlices(steps, this.#stopping.signal);
    if (rollUp) dispatch(rollUp);
    // One roll-up may be a part of a backlog. A rejected one is retried in an hour.
    if (rolledTo() > previous) return PAUSE_MS;
    await this.#erase();
    return HOUR_MS;
  }

  /** Each command erases some of the deleted clients. */
  async #erase(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const done = this.#parts.dispatch({ type: 'EraseDeleted', data: {} });
      if (done instanceof Rejection || done.events.length === 0) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
