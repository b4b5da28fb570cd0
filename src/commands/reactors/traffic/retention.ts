import type { EventLog } from '../../../events/log/log.js';
import type { AnyCommand } from '../../catalog.js';
import { planRollUp } from './roll-up.js';

const HOUR_MS = 3_600_000;
/** The pause between two roll-ups of a backlog, in ms, in which other work is done. */
const PAUSE_MS = 1000;

interface Parts {
  readonly log: EventLog;
  /** The position up to which measurements are rolled up. */
  readonly rolledTo: () => number;
  /** How long measurements are kept, in hours. */
  readonly hours: () => number;
  readonly dispatch: (command: AnyCommand) => void;
  readonly now: () => number;
}

/** Rolls up old measurements and erases deleted clients, once an hour. */
export class Retention {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #backlog: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#timer = setInterval(() => this.#run(), HOUR_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#backlog);
  }

  #run(): void {
    const { log, rolledTo, hours, dispatch, now } = this.#parts;
    const previous = rolledTo();
    const rollUp = planRollUp(log, previous, now() - hours() * HOUR_MS, now());
    if (rollUp) dispatch(rollUp);
    // One roll-up may be a part of a backlog. A rejected one is retried in an hour.
    if (rolledTo() > previous) this.#backlog = setTimeout(() => this.#run(), PAUSE_MS).unref();
    else dispatch({ type: 'EraseDeleted', data: {} });
  }
}
