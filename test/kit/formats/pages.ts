import { closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const PAGE_BYTES = 4096;

/** Leaf pages of the table of events, in the order of their events. The database must not be open elsewhere. */
export function leavesOf(file: string): readonly number[] {
  const db = new Database(file, { readonly: true });
  try {
    return db
      .prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path")
      .pluck()
      .all();
  } finally {
    db.close();
  }
}

/** Overwrites a page, as a failing disk does. */
export function damagePage(file: string, page: number): void {
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  } finally {
    closeSync(handle);
  }
}

/** The page in the middle of the events. */
export function damageMiddle(file: string): void {
  const pages = leavesOf(file);
  if (pages.length < 5) throw new Error(`the log has only ${pages.length} pages`);
  damagePage(file, pages[Math.floor(pages.length / 2)] ?? 0);
}
