import type { RecordedEvent } from '../../events/catalog.js';
import { memberIn, sharedStream, typesWithMembers } from '../../events/client/members.js';
import type { Steps } from '../../lib/time/slices.js';
import type { EventRow } from './codec.js';
import type { older } from './log-statements.js';
import type { StoredLog } from './stored-log.js';

type Stored = Pick<StoredLog, 'eventsOf'>;

/** Rows that one query of a part of a stream reads. */
const PAGE_ROWS = 16;

/** The event of a client in the row of an event about many clients; none if the event is about others. */
export function eventsIn(stored: Stored, row: EventRow, stream: string): readonly RecordedEvent[] {
  return stored.eventsOf(row).flatMap((event) => memberIn(event, stream) ?? []);
}

/** Rows of a stream with one of these types (as JSON), newest first, from version `first` to the one before `end`. */
type OlderRows = (
  stream: string,
  types: string,
  versions: { readonly first: number; readonly end: number },
  limit: number,
) => readonly EventRow[];

export const olderRows =
  (statement: ReturnType<typeof older>): OlderRows =>
  (stream, types, { first, end }, limit) =>
    statement.all(stream, first, end, types, limit);

interface Older {
  readonly rows: OlderRows;
  /** The versions of a stream that are read. */
  readonly versionsOf: (stream: string) => { readonly first: number; readonly end: number };
}

/** The events of a stream with one of these types, newest first. Events may be appended while it is read. */
export function* newestFirst(
  stored: Stored,
  stream: string,
  types: readonly RecordedEvent['type'][],
  older: Older,
): Generator<RecordedEvent> {
  const own = olderEvents(older, stream, types, (row) => stored.eventsOf(row));
  const shared = sharedStream(stream);
  const many = shared === null ? [] : typesWithMembers(types);
  if (shared === null || many.length === 0) return yield* own;
  yield* merged(
    own,
    olderEvents(older, shared, many, (row) => eventsIn(stored, row, stream)),
  );
}

function* olderEvents(
  { rows, versionsOf }: Older,
  stream: string,
  types: readonly RecordedEvent['type'][],
  events: (row: EventRow) => readonly RecordedEvent[],
): Generator<RecordedEvent> {
  const names = JSON.stringify(types);
  for (let { first, end } = versionsOf(stream), isLast = false; !isLast; ) {
    const page = rows(stream, names, { first, end }, PAGE_ROWS);
    for (const row of page) yield* events(row);
    end = page.at(-1)?.version ?? first;
    isLast = page.length < PAGE_ROWS;
  }
}

/** Two series of events as one, newest first. */
function* merged(one: Iterator<RecordedEvent>, other: Iterator<RecordedEvent>): Generator<RecordedEvent> {
  let [a, b] = [one.next(), other.next()];
  while (!a.done || !b.done) {
    if (!a.done && (b.done || a.value.position > b.value.position)) {
      yield a.value;
      a = one.next();
    } else if (!b.done) {
      yield b.value;
      b = other.next();
    }
  }
}

/** Rows of a stream after a version, oldest first. */
type NewerRows = (stream: string, after: number, limit: number) => readonly EventRow[];

/** The events of whole streams, oldest first, in steps. The last step reads what was appended during the others. */
export function* wholeStreams(
  stored: Stored,
  streams: readonly string[],
  rows: NewerRows,
): Steps<ReadonlyMap<string, readonly RecordedEvent[]>> {
  const found = new Map<string, RecordedEvent[]>();
  const parts: (() => boolean)[] = [];
  for (const stream of streams) {
    const events: RecordedEvent[] = [];
    found.set(stream, events);
    parts.push(reader(rows, stream, (row) => events.push(...stored.eventsOf(row))));
    const shared = sharedStream(stream);
    if (shared !== null) parts.push(reader(rows, shared, (row) => events.push(...eventsIn(stored, row, stream))));
  }
  for (const readMore of parts) while (readMore()) yield;
  for (const readMore of parts) while (readMore());
  for (const events of found.values()) events.sort((one, other) => one.position - other.position);
  return found;
}

/** Reads one page with each call. Returns whether there may be another. */
function reader(rows: NewerRows, stream: string, add: (row: EventRow) => unknown): () => boolean {
  let after = 0;
  return () => {
    const page = rows(stream, after, PAGE_ROWS);
    for (const row of page) add(row);
    after = page.at(-1)?.version ?? after;
    return page.length === PAGE_ROWS;
  };
}
