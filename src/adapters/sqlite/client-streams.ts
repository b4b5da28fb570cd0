import type { RecordedEvent } from '../../events/catalog.js';
import { memberIn, sharedStream, typesWithMembers } from '../../events/client/members.js';
import type { EventRow } from './codec.js';
import type { StoredLog } from './stored-log.js';

type Stored = Pick<StoredLog, 'eventsOf'>;

/** The event of a client in the row of an event about many clients; none if the event is about others. */
export function eventsIn(stored: Stored, row: EventRow, stream: string): readonly RecordedEvent[] {
  return stored.eventsOf(row).flatMap((event) => memberIn(event, stream) ?? []);
}

/** The events of a stream with one of these types, newest first. `rows` queries a stream, newest first; types as JSON. */
export function* newestFirst(
  stored: Stored,
  stream: string,
  types: readonly RecordedEvent['type'][],
  rows: (stream: string, types: string) => Iterable<EventRow>,
): Generator<RecordedEvent> {
  const shared = sharedStream(stream);
  const many = shared === null ? [] : typesWithMembers(types);
  // Read before the others, because a query cannot run twice at the same time.
  const rowsOfMany = shared === null || many.length === 0 ? [] : [...rows(shared, JSON.stringify(many))];
  const own = rowsOf(rows(stream, JSON.stringify(types)), (row) => stored.eventsOf(row));
  if (rowsOfMany.length === 0) return yield* own;
  yield* merged(
    own,
    rowsOf(rowsOfMany, (row) => eventsIn(stored, row, stream)),
  );
}

function* rowsOf(
  rows: Iterable<EventRow>,
  events: (row: EventRow) => readonly RecordedEvent[],
): Generator<RecordedEvent> {
  for (const row of rows) yield* events(row);
}

/** Two series of events as one, newest first. */
function* merged(one: Generator<RecordedEvent>, other: Iterator<RecordedEvent>): Generator<RecordedEvent> {
  try {
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
  } finally {
    one.return(undefined); // otherwise its query would stay open
  }
}
