import { type Rejection, reject } from '../../commands/rejection.js';
import { rangeOf } from '../../commands/undo/past-command.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { isoTime } from '../../lib/time/iso-time.js';
import { type ErasedDocument, erasedIn } from '../../projections/erased.js';
import type { Moment, Moments } from '../../projections/moments.js';

const POSITION = /^\d{1,15}$/;
const MAX_VALUE = 100;
/** Documents with erased data that an answer about the past names. */
const MAX_ERASED = 100;

export interface Past {
  readonly search: LogSearch;
  /** The last position whose event happened at or before a time (ms since 1970); 0 = none. */
  readonly positionAt: (time: number) => number;
  readonly now: () => number;
}

/** The moment that a caller names: a position after a whole command, or a time in ISO 8601. */
export async function momentOf(past: Past & { readonly moments: Moments }, text: string): Promise<Moment | Rejection> {
  const position = await placeOf(past, text);
  return typeof position === 'number' ? past.moments.after(position) : position;
}

/** Its position. */
export async function placeOf({ search, positionAt, now }: Past, text: string): Promise<number | Rejection> {
  const { position: head } = search.head();
  const value = text.slice(0, MAX_VALUE);
  if (POSITION.test(text)) {
    const position = Number(text);
    const range = position > 0 && position <= head ? await rangeOf(search, position) : null;
    if (range === null) return reject('MOMENT_UNKNOWN', { value, head });
    const [first, last] = [range.first.position, range.last.position];
    return last === position ? position : reject('MOMENT_INSIDE', { position, first, last, before: first - 1 });
  }
  const time = isoTime(text);
  if (time === null) return reject('MOMENT_INVALID', { value });
  if (time > now()) return reject('MOMENT_FUTURE', { value });
  return positionAt(time) || reject('MOMENT_UNKNOWN', { value, head });
}

/** What exists for a caller who sees only a part of the clients. */
const LIMITED_NOUNS = ['client', 'inbound'] as const;

type Header = readonly [name: string, value: string];

/** The headers of an answer about a moment. `isLimited`: the caller sees only a part of the clients. */
export function momentHeaders({ position, at, read }: Moment, isLimited: boolean): readonly Header[] {
  const erased = isLimited ? erasedIn(read, LIMITED_NOUNS) : erasedIn(read);
  return [
    // The last event before a time may be one of others.
    ...(isLimited ? [] : [['X-Portolan-Position', String(position)] as const]),
    ['X-Portolan-Time', new Date(at).toISOString()],
    ...erasedHeaders(erased),
  ];
}

/** The headers of a moment that has placeholders: the first documents, how many there are, and the fields of each noun. */
function erasedHeaders(erased: readonly ErasedDocument[]): readonly Header[] {
  if (erased.length === 0) return [];
  const fields = new Map<string, ReadonlySet<string>>();
  for (const one of erased) fields.set(one.noun, new Set([...(fields.get(one.noun) ?? []), ...one.fields]));
  const named = [...fields].map(([noun, names]) => `${noun}=${[...names].sort().join(' ')}`);
  const streams = erased.slice(0, MAX_ERASED).map(({ stream }) => stream);
  return [
    ['X-Portolan-Erased', streams.join(', ')],
    ['X-Portolan-Erased-Count', String(erased.length)],
    ['X-Portolan-Erased-Fields', named.join(', ')],
  ];
}
