import { createHmac } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { CheckpointPart, CheckpointStore, StoredPart, TakenPart } from '../../events/log/checkpoint-store.js';
import { open, seal } from './keyring.js';
import { assertRegular, DATABASE_FILES } from './own-file.js';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS log (version TEXT NOT NULL, generation TEXT NOT NULL, rolled INTEGER NOT NULL, destroyed INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS checkpoints (position INTEGER PRIMARY KEY, hash TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS members (
  position INTEGER NOT NULL, place INTEGER NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (position, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS parts (
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, section TEXT NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
  box BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS parts_clients ON parts (section, low);
`;

/** What the file compares with the log. */
interface Chain {
  readonly generation: string;
  readonly rolledTo: number;
  readonly stored: { readonly destroyedKeys: number };
  hashAt(position: number): string | null;
}

interface PartRow {
  readonly id: number;
  readonly section: string;
  readonly low: number;
  readonly high: number;
  readonly box: Buffer;
}

type PartPlace = Omit<PartRow, 'box'> & { readonly digest: Buffer };

const MAX_CHECKPOINTS = 300;
const NOTHING = Buffer.alloc(0);
/** A fast compression: parts are read far more often than the disk is full. */
const LEVEL = 1;

/** Checkpoints in a database beside the log, encrypted because they contain its sealed fields. */
export class CheckpointFile implements CheckpointStore {
  readonly #file: string;
  readonly #key: Buffer;
  readonly #log: Chain;
  readonly #version: string;
  #db: Database.Database | null = null;
  /** Saves under way. */
  #saves = 0;

  /** `version`: of the folds and of the parts. A file of another version or of another log is emptied. */
  constructor(
    file: string,
    { key, log, version }: { readonly key: Buffer; readonly log: Chain; readonly version: string },
  ) {
    this.#file = file;
    this.#key = key;
    this.#log = log;
    this.#version = version;
    this.#start();
  }

  nearest(position: number): number {
    return this.#guarded((db) => {
      const find = db.prepare<[number], { position: number; hash: string }>(
        'SELECT position, hash FROM checkpoints WHERE position <= ? ORDER BY position DESC LIMIT 1',
      );
      for (let found = find.get(position); found; found = find.get(found.position - 1)) {
        if (found.hash === this.#log.hashAt(found.position)) return found.position;
        this.remove(found.position, found.position);
      }
      return 0;
    }, 0);
  }

  *parts(position: number, isKnown: (digest: string) => boolean): Iterable<StoredPart> {
    const read = this.#guarded(boxes, null);
    for (const { id, ...place } of this.#guarded((db) => partsAt(db, position), [])) {
      const digest = place.digest.toString('base64');
      const content = isKnown(digest)
        ? NOTHING
        : this.#guarded(() => this.#content(place.section, read?.get(id)), null);
      if (!content) return;
      yield { ...place, digest, content };
    }
  }

  *save(position: number, parts: Iterable<CheckpointPart>): Generator<void, void, void> {
    const members: number[] = [];
    this.#saves += 1;
    try {
      for (const part of parts) {
        const id = this.#guarded((db) => this.#stored(db, part), 0);
        if (id === 0) return;
        members.push(id);
        yield;
      }
      this.#complete(position, members);
    } finally {
      this.#saves -= 1;
    }
  }

  #complete(position: number, members: readonly number[]): void {
    this.#guarded((db) => {
      const hash = this.#log.hashAt(position);
      if (hash === null) return;
      const add = db.prepare('INSERT OR REPLACE INTO members VALUES (?, ?, ?)');
      db.transaction(() => {
        for (const [place, id] of members.entries()) add.run(position, place, id);
        db.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)').run(position, hash);
        this.#note(db);
      })();
      this.#thinOut(db);
    }, undefined);
  }

  /** Removes every second checkpoint of the older half when there are too many. */
  #thinOut(db: Database.Database): void {
    const all = db.prepare<[], { position: number }>('SELECT position FROM checkpoints ORDER BY position').all();
    if (all.length <= MAX_CHECKPOINTS) return;
    for (const [place, { position }] of all.slice(0, all.length / 2).entries())
      if (place % 2 === 1) this.remove(position, position);
  }

  remove(first: number, last: number): void {
    this.#guarded((db) => {
      db.transaction(() => {
        const removed = db.prepare('DELETE FROM checkpoints WHERE position BETWEEN ? AND ?').run(first, last).changes;
        if (removed > 0) {
          db.prepare('DELETE FROM members WHERE position BETWEEN ? AND ?').run(first, last);
          // The parts of an unfinished checkpoint have no members yet.
          if (this.#saves === 0) db.exec('DELETE FROM parts WHERE id NOT IN (SELECT part FROM members)');
        }
        this.#note(db);
      })();
    }, undefined);
  }

  take(section: string, client: number): readonly TakenPart[] {
    return this.#guarded((db) => {
      const rows = db
        .prepare<[string, number, number], PartRow>(
          'SELECT id, section, low, high, box FROM parts WHERE section = ? AND low <= ? AND high >= ?',
        )
        .all(section, client, client);
      const remove = db.prepare('DELETE FROM parts WHERE id = ?');
      db.transaction(() => {
        for (const { id } of rows) remove.run(id);
        this.#note(db);
      })();
      return rows.flatMap(({ box, ...place }) => {
        const content = this.#content(place.section, { box });
        return content ? [{ ...place, content }] : [];
      });
    }, []);
  }

  put({ id, ...part }: TakenPart): void {
    this.#guarded((db) => {
      const [digest, box] = [this.#digest(part), this.#box(part)];
      db.prepare('INSERT OR IGNORE INTO parts VALUES (?, ?, ?, ?, ?, ?)').run(
        ...([id, digest, part.section, part.low, part.high, box] as const),
      );
    }, undefined);
  }

  clear(): void {
    this.#db?.close();
    this.#db = null;
    for (const end of DATABASE_FILES) rmSync(this.#file + end, { force: true });
    this.#start();
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
  }

  /** Opens the file, or creates a new one if it cannot be read. Without a file, there are no checkpoints. */
  #start(): void {
    for (let tries = 0; tries < 2 && this.#db === null; tries += 1) {
      try {
        this.#open();
      } catch {
        this.close();
        if (tries === 0) for (const end of DATABASE_FILES) rmSync(this.#file + end, { force: true });
      }
    }
  }

  #open(): void {
    assertRegular(this.#file);
    const known = existsSync(this.#file);
    this.#db = new Database(this.#file, { timeout: 0 });
    // A cache: after a power failure it may be unreadable, and is then deleted. Deleted content is overwritten.
    for (const pragma of ['journal_mode = TRUNCATE', 'synchronous = OFF', 'secure_delete = ON'])
      this.#db.pragma(pragma);
    this.#db.exec(SCHEMA);
    const noted = this.#db.prepare('SELECT version, generation, rolled, destroyed FROM log').raw().get() as unknown;
    if (known && JSON.stringify(noted) !== JSON.stringify(this.#noteOf())) {
      this.#db.exec('DELETE FROM checkpoints; DELETE FROM members; DELETE FROM parts; DELETE FROM log');
    }
    this.#note(this.#db);
  }

  /** The log whose roll-ups and destroyed keys the file has followed. */
  #noteOf(): readonly [version: string, generation: string, rolled: number, destroyed: number] {
    const { generation, rolledTo, stored } = this.#log;
    return [this.#version, generation, rolledTo, stored.destroyedKeys];
  }

  #note(db: Database.Database): void {
    db.exec('DELETE FROM log');
    db.prepare('INSERT INTO log VALUES (?, ?, ?, ?)').run(...this.#noteOf());
  }

  #stored(db: Database.Database, part: CheckpointPart): number {
    const digest = this.#digest(part);
    const known = db.prepare<[Buffer], { id: number }>('SELECT id FROM parts WHERE digest = ?').get(digest);
    if (known) return known.id;
    const { section, low, high } = part;
    const add = db.prepare('INSERT INTO parts (digest, section, low, high, box) VALUES (?, ?, ?, ?, ?)');
    return Number(add.run(digest, section, low, high, this.#box(part)).lastInsertRowid);
  }

  /** A keyed digest: that of a secret could be guessed. */
  #digest({ section, content }: CheckpointPart): Buffer {
    return createHmac('sha256', this.#key).update(section).update(content).digest();
  }

  #box({ section, content }: CheckpointPart): Buffer {
    return seal(this.#key, deflateRawSync(content, { level: LEVEL }), section);
  }

  #content(section: string, row: Pick<PartRow, 'box'> | undefined): Buffer | null {
    return row ? inflateRawSync(open(this.#key, row.box, section)) : null;
  }

  /** Runs `use` on the open file. If that fails, the file is deleted, and the result is `otherwise`. */
  #guarded<T>(use: (db: Database.Database) => T, otherwise: T): T {
    try {
      const db = this.#db;
      return db?.open === true ? use(db) : otherwise;
    } catch {
      this.#db?.close();
      this.#db = null;
      return otherwise;
    }
  }
}

/** The parts of a checkpoint, in their order, without their content. Those that were taken out are missing. */
function partsAt(db: Database.Database, position: number): readonly PartPlace[] {
  return db
    .prepare<[number], PartPlace>(
      'SELECT id, digest, section, low, high FROM members JOIN parts ON id = part WHERE position = ? ORDER BY place',
    )
    .all(position);
}

const boxes = (db: Database.Database) =>
  db.prepare<[number], Pick<PartRow, 'box'>>('SELECT box FROM parts WHERE id = ?');
