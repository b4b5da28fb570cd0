import { chainHash, type EventRow, LogDamage, payloadHash } from '../adapters/sqlite/codec.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import type { StoredLog } from '../adapters/sqlite/stored-log.js';
import { eventType, type RecordedEvent } from '../events/catalog.js';
import { StorageError } from '../events/log/log.js';
import { textOf } from '../messages/error.js';
import { isText, message, type Text } from '../messages/message.js';

export interface Verdict {
  readonly events: number;
  /** Payloads that were rolled up: their hashes are in the chain, their content is in the roll-ups. */
  readonly pruned: number;
  readonly fault: { readonly position: number; readonly what: Text } | null;
  /** The problem with the keys, which the chain does not cover; null if there is none, or if the chain has a problem. */
  readonly keys: Text | null;
}

const PAGE = 1000;

/**
 * Verifies the whole log: positions, versions, chain, payload hashes and schemas, that each missing payload is a measurement
 * covered by a roll-up, and then the keys. Stops at the first invalid position. `follow` is called for each valid page, with
 * its events and its last position.
 */
export function verifyLog(
  { stored }: Pick<SqliteEventLog, 'stored'>,
  follow: (events: readonly RecordedEvent[], last: number) => void = () => undefined,
): Verdict {
  const versions = new Map<string, number>();
  const destroyed = new Set<string>();
  let hash: Buffer = Buffer.alloc(32);
  let position = 0;
  let pruned = 0;
  let rolledTo = 0;
  let limit = PAGE;
  for (;;) {
    const rows = rowsAfter(stored, position, limit);
    if (isText(rows) && limit === 1)
      return { events: position, pruned, fault: { position: position + 1, what: rows }, keys: null };
    if (isText(rows)) {
      // One of them is damaged: those before it are read one by one.
      limit = 1;
      continue;
    }
    if (rows.length === 0) break;
    const page: RecordedEvent[] = [];
    for (const row of rows) {
      const found = verifyRow(stored, row, { position, hash, version: versions.get(row.stream) ?? 0, rolledTo });
      if (isText(found))
        return { events: position, pruned, fault: { position: row.position, what: found }, keys: null };
      page.push(...found);
      for (const { type, data } of found) if (type === 'MeasurementsRolledUp') rolledTo = data.toPosition;
      if (row.payload === null) pruned += 1;
      versions.set(row.stream, row.version);
      position = row.position;
      hash = row.hash;
    }
    for (const { type, data } of page) if (type === 'DataKeyDestroyed') destroyed.add(data.key);
    follow(page, position);
  }
  return { events: position, pruned, fault: null, keys: stored.keyring.problem(destroyed) };
}

/** The error when the file is damaged and they cannot be read. */
function rowsAfter(stored: StoredLog, position: number, limit: number): readonly EventRow[] | Text {
  try {
    return stored.rows(position, limit);
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'damaged') return error.text;
    throw error;
  }
}

interface Before {
  readonly position: number;
  readonly hash: Buffer;
  readonly version: number;
  /** Where the range of the last roll-up ends. */
  readonly rolledTo: number;
}

/** The events of a row, or its problem. */
function verifyRow(stored: StoredLog, row: EventRow, before: Before): Text | readonly RecordedEvent[] {
  if (row.position !== before.position + 1)
    return message('storage.positionMissing', { position: before.position + 1 });
  if (row.version !== before.version + 1) {
    const { stream, version } = row;
    return message('storage.versionJump', { stream, before: before.version, version });
  }
  if (!chainHash(before.hash, row).equals(row.hash)) return message('storage.chainBroken');
  const type = eventType(row.type);
  if (type && (row.measured === 1) !== (type.class === 'measured'))
    return message(row.measured === 1 ? 'storage.markedMeasured' : 'storage.markedKept', { type: row.type });
  if (row.payload !== null && !payloadHash(row.payload).equals(row.payload_hash))
    return message('storage.payloadChanged');
  try {
    const events = stored.eventsOf(row);
    const invalid = events.some((event) => !type?.schema.safeParse(event.data).success);
    if (invalid) return message('storage.schemaMismatch', { type: row.type });
    const [event] = events;
    const problem =
      event?.type === 'MeasurementsRolledUp' ? stored.rollUpMismatch(event.data, row.position, before.rolledTo) : null;
    return problem ?? events;
  } catch (error) {
    return error instanceof LogDamage ? error.what : textOf(error);
  }
}
