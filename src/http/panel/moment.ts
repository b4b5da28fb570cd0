import { type Rejection, reject } from '../../commands/rejection.js';
import { rangeOf } from '../../commands/undo/past-command.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { isoTime } from '../../lib/time/iso-time.js';
import type { Moment, Moments } from '../../projections/moments.js';

const POSITION = /^\d{1,15}$/;
const MAX_VALUE = 100;

interface Past {
  readonly search: LogSearch;
  readonly moments: Moments;
  /** The last position whose event happened at or before a time (ms since 1970); 0 = none. */
  readonly positionAt: (time: number) => number;
  readonly now: () => number;
}

/** The moment that a caller names: a position after a whole command, or a time in ISO 8601. */
export async function momentOf({ search, moments, positionAt, now }: Past, text: string): Promise<Moment | Rejection> {
  const { position: head } = search.head();
  const value = text.slice(0, MAX_VALUE);
  if (POSITION.test(text)) {
    const position = Number(text);
    const range = position > 0 && position <= head ? await rangeOf(search, position) : null;
    if (range === null) return reject('MOMENT_UNKNOWN', { value, head });
    const [first, last] = [range.first.position, range.last.position];
    if (last !== position) return reject('MOMENT_INSIDE', { position, first, last, before: first - 1 });
    return moments.after(position);
  }
  const time = isoTime(text);
  if (time === null) return reject('MOMENT_INVALID', { value });
  if (time > now()) return reject('MOMENT_FUTURE', { value });
  const position = positionAt(time);
  return position === 0 ? reject('MOMENT_UNKNOWN', { value, head }) : moments.after(position);
}
