import { chainHash, decode, type EventRow, payloadHash } from '../adapters/sqlite/codec.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { eventType } from '../events/catalog.js';

export interface Verdict {
  readonly events: number;
  /** Payloads that were rolled up: their hashes are in the chain, their content is in the roll-ups. */
  readonly pruned: number;
  readonly fault: { readonly position: number; readonly what: string } | null;
}

const PAGE = 1000;

/** Walks the whole log: positions, versions, chain, payload hashes, schemas. Stops at the first bad position. */
export function verifyLog(log: SqliteEventLog): Verdict {
  const versions = new Map<string, number>();
  let hash: Buffer = Buffer.alloc(32);
  let position = 0;
  let pruned = 0;
  for (let rows = log.rows(position, PAGE); rows.length > 0; rows = log.rows(position, PAGE)) {
    for (const row of rows) {
      const what = flaw(log, row, { position, hash, version: versions.get(row.stream) ?? 0 });
      if (what) return { events: position, pruned, fault: { position: row.position, what } };
      if (row.payload === null) pruned += 1;
      versions.set(row.stream, row.version);
      position = row.position;
      hash = row.hash;
    }
  }
  return { events: position, pruned, fault: null };
}

interface Before {
  readonly position: number;
  readonly hash: Buffer;
  readonly version: number;
}

function flaw(log: SqliteEventLog, row: EventRow, before: Before): string | null {
  if (row.position !== before.position + 1) return `position ${before.position + 1} is missing`;
  if (row.version !== before.version + 1) return `${row.stream} jumps from version ${before.version} to ${row.version}`;
  if (!chainHash(before.hash, row).equals(row.hash))
    return 'the hash does not follow from the event before and this header';
  if (row.payload === null)
    return log.coversPruned(row.position) ? null : 'its payload is gone and no roll-up covers it';
  if (!payloadHash(row.payload).equals(row.payload_hash)) return 'the payload is not the one that was hashed';
  try {
    const event = decode(row, log.keyring);
    const parsed = eventType(row.type)?.schema.safeParse(event.data);
    return parsed?.success ? null : `${row.type} does not fit its schema`;
  } catch (error) {
    return (error as Error).message;
  }
}
