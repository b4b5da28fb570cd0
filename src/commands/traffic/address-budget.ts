import type { Dispatch } from '../bus.js';
import type { AnyCommand } from '../catalog.js';

/** Recorded addresses of one client in an hour. One user needs a few; only a link that many people share needs more. */
const MAX_PER_CLIENT = 60;
/** Recorded addresses of all clients in a minute: this number, and one more for each 30 clients. */
const MAX_PER_MINUTE = 120;
const CLIENTS_PER_EXTRA = 30;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Seen = Extract<AnyCommand, { type: 'RecordClientIps' }>['data']['seen'];

interface Parts {
  readonly now: () => number;
  /** How many clients there are. */
  readonly clients: () => number;
}

/**
 * Limits how many addresses are recorded for each client and for all together, so that a leaked link cannot fill the log.
 * Other addresses can still connect, and count for the IP limit, which uses current connections.
 */
export class AddressBudget {
  readonly #parts: Parts;
  #hour = Number.NaN;
  #minute = Number.NaN;
  #inMinute = 0;
  readonly #ofClient = new Map<number, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The addresses that may be recorded now; they are counted as recorded. */
  spend(seen: Seen): Seen {
    this.#begin(this.#parts.now());
    return seen.flatMap(({ client, ips }) => {
      const used = this.#ofClient.get(client) ?? 0;
      const most = Math.min(MAX_PER_CLIENT - used, this.#maxPerMinute() - this.#inMinute);
      const allowed = most > 0 ? ips.slice(0, most) : [];
      if (allowed.length === 0) return [];
      this.#ofClient.set(client, used + allowed.length);
      this.#inMinute += allowed.length;
      return [{ client, ips: allowed }];
    });
  }

  #maxPerMinute(): number {
    return MAX_PER_MINUTE + Math.ceil(this.#parts.clients() / CLIENTS_PER_EXTRA);
  }

  #begin(now: number): void {
    const [hour, minute] = [Math.floor(now / HOUR_MS), Math.floor(now / MINUTE_MS)];
    if (minute !== this.#minute) this.#inMinute = 0;
    if (hour !== this.#hour) this.#ofClient.clear();
    this.#hour = hour;
    this.#minute = minute;
  }
}

/** A `dispatch` that records addresses of clients within the budget, from this machine and from nodes. */
export function withAddressBudget(dispatch: Dispatch, budget: AddressBudget): Dispatch {
  return (command, context) => {
    if (command.type !== 'RecordClientIps') return dispatch(command, context);
    return dispatch({ ...command, data: { seen: budget.spend(command.data.seen) } }, context);
  };
}
