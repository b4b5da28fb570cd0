import { eventType } from '../../events/catalog.js';
import { message } from '../../messages/message.js';
import { chainHash, type EventRow, LogDamage, payloadHash } from './codec.js';
import type { SqliteDatabase } from './database.js';

/** Limit of events after the anchor that a start verifies. A killed panel leaves those of its last 200 ms there. */
const TAIL = 1000;

type Header = Omit<EventRow, 'payload'> & { readonly before: Buffer };

/**
 * Finds problems without reading the whole log, which takes minutes: missing payloads that no roll-up covers, and roll-ups
 * and events after the anchor that break the chain. Null = none found. `anchored` is the position in the anchor, `rolledTo`
 * returns the end of the newest range. `portolan events verify` checks everything.
 */
export function startProblem(db: SqliteDatabase, anchored: number, rolledTo: () => number): LogDamage | null {
  return brokenRollUp(db) ?? uncoveredPayload(db, rolledTo()) ?? brokenTail(db, anchored);
}

/** Needs one step in the index `pruned` per type, not per row. */
const PRUNED_TYPES = `
WITH RECURSIVE types(type) AS (
  SELECT min(type) FROM events WHERE payload IS NULL
  UNION ALL
  SELECT (SELECT min(type) FROM events WHERE payload IS NULL AND type > types.type)
  FROM types WHERE types.type IS NOT NULL
) SELECT type FROM types WHERE type IS NOT NULL`;

function uncoveredPayload(db: SqliteDatabase, rolledTo: number): LogDamage | null {
  const first = db.prepare<[string, number], { position: number | null }>(
    'SELECT min(position) AS position FROM events WHERE payload IS NULL AND type = ? AND position > ?',
  );
  const found = db
    .prepare<[], { type: string }>(PRUNED_TYPES)
    .all()
    .flatMap(({ type }) => {
      const measured = eventType(type)?.class === 'measured';
      const position = first.get(type, measured ? rolledTo : 0)?.position ?? null;
      const what = measured ? message('storage.payloadMissing') : message('storage.payloadMissingKept', { type });
      return position === null ? [] : [new LogDamage(position, what)];
    });
  return found.sort((a, b) => a.position - b.position)[0] ?? null;
}

/** Reads the payload of the newest roll-up only, because payloads are long. It has the end of the rolled-up ranges. */
function brokenRollUp(db: SqliteDatabase): LogDamage | null {
  const rollUps = db.prepare<[], Header>(
    `SELECT row.position, row.stream, row.version, row.id, row.type, row.schema, row.at, row.meta, row.measured, row.encoding,
       row.payload_hash, row.hash, before.hash AS before
     FROM events AS row JOIN events AS before ON before.position = row.position - 1
     WHERE row.type = 'MeasurementsRolledUp' ORDER BY row.position`,
  );
  let last = 0;
  for (const row of rollUps.iterate()) {
    if (!chainHash(row.before, row).equals(row.hash)) return new LogDamage(row.position, CHAIN_BROKEN);
    last = row.position;
  }
  const newest = rowAt(db, last);
  return newest && !hasValidHash(newest) ? new LogDamage(newest.position, PAYLOAD_CHANGED) : null;
}

const CHAIN_BROKEN = message('storage.chainBroken');
const PAYLOAD_CHANGED = message('storage.payloadChanged');

function brokenTail(db: SqliteDatabase, anchored: number): LogDamage | null {
  let before = rowAt(db, anchored)?.hash ?? Buffer.alloc(32);
  const tail = db.prepare<[number, number], EventRow>(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
  );
  for (const row of tail.all(anchored, TAIL)) {
    if (!chainHash(before, row).equals(row.hash)) return new LogDamage(row.position, CHAIN_BROKEN);
    if (row.payload !== null && !hasValidHash(row)) return new LogDamage(row.position, PAYLOAD_CHANGED);
    before = row.hash;
  }
  return null;
}

const hasValidHash = ({ payload, payload_hash: expected }: EventRow): boolean =>
  payload !== null && payloadHash(payload).equals(expected);

const rowAt = (db: SqliteDatabase, position: number): EventRow | undefined =>
  db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?').get(position);
