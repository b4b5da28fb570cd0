import { message } from '../../messages/message.js';
import { type EventRow, LogDamage, storedData } from './codec.js';
import type { SqliteDatabase } from './database.js';

/** The ids of the keys that events have destroyed. Throws `LogDamage` for an event without an id. */
export function destroyedKeys(db: SqliteDatabase): ReadonlySet<string> {
  const rows = db
    .prepare<[], Pick<EventRow, 'position' | 'payload' | 'encoding'>>(
      "SELECT position, payload, encoding FROM events WHERE stream = 'keys' AND type = 'DataKeyDestroyed'",
    )
    .iterate();
  const names = new Set<string>();
  for (const row of rows) names.add(nameIn(row));
  return names;
}

function nameIn(row: Pick<EventRow, 'position' | 'payload' | 'encoding'>): string {
  try {
    const name = storedData(row)?.['key'];
    if (typeof name === 'string') return name;
  } catch (cause) {
    throw new LogDamage(row.position, message('storage.keyNotNamed'), { cause });
  }
  throw new LogDamage(row.position, message('storage.keyNotNamed'));
}
