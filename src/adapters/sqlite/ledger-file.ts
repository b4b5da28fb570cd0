import Database from 'better-sqlite3';
import { type Entry, entryKinds, type Flow, type LedgerStore } from '../../events/ledger-store.js';
import { packFlows, unpackFlows } from './packed-flows.js';

/** Rises with the layout and with what is written: a file of another one is made anew. */
const LAYOUT = 1;
const SCHEMA = `
CREATE TABLE head (generation TEXT NOT NULL, zone TEXT NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
CREATE TABLE flows (
  block INTEGER NOT NULL, written INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (block, written)
) STRICT, WITHOUT ROWID;
CREATE TABLE entries (
  client INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, day INTEGER NOT NULL, kind TEXT NOT NULL,
  up INTEGER NOT NULL, down INTEGER NOT NULL, other INTEGER NOT NULL, rule TEXT NOT NULL,
  PRIMARY KEY (client, position)
) STRICT, WITHOUT ROWID;
`;

/**
 * Clients whose flows share a row. Fewer make more pages that each writing touches, more make longer rows to look through
 * for one client.
 */
const BLOCK = 16;

interface Chain {
  readonly generation: string;
  hashAt(position: number): string | null;
  readonly rolledTo: number;
}

interface Head {
  readonly generation: string;
  readonly zone: string;
  readonly position: number;
  readonly hash: string;
}

/** The ledger in a database of its own, beside the log: numbers of clients and bytes, nothing personal. */
export class LedgerFile implements LedgerStore {
  readonly #db: Database.Database;
  readonly #log: Chain;
  readonly #sql;
  #zone: string;
  #position = 0;

  /** Takes what is in the file as far as it is of this log and of this zone. Throws when there can be no file. */
  constructor(file: string, log: Chain, zone: string) {
    this.#log = log;
    this.#zone = zone;
    this.#db = openFile(file);
    this.#sql = statements(this.#db);
    const head = this.#sql.head.get();
    if (head && this.#isUsable(head)) this.#position = head.position;
    else this.clear(zone);
  }

  #isUsable({ generation, zone, position, hash }: Head): boolean {
    const { generation: wanted, rolledTo } = this.#log;
    // A sum further on may hold bytes that are in here already.
    return generation === wanted && zone === this.#zone && position >= rolledTo && hash === this.#log.hashAt(position);
  }

  get position(): number {
    return this.#position;
  }

  write(position: number, flows: readonly Flow[], entries: readonly Entry[]): void {
    const hash = this.#log.hashAt(position) ?? '';
    const blocks = new Map<number, Flow[]>();
    for (const flow of flows) {
      const block = Math.floor(flow.client / BLOCK);
      const others = blocks.get(block);
      if (others) others.push(flow);
      else blocks.set(block, [flow]);
    }
    this.#db.transaction(() => {
      for (const [block, some] of blocks) this.#sql.addFlows.run(block, position, packFlows(some));
      for (const { client, position: place, at, day, kind, up, down, other, rule } of entries)
        this.#sql.addEntry.run(client, place, at, day, kind, up, down, other, rule);
      this.#sql.forget.run();
      this.#sql.remember.run(this.#log.generation, this.#zone, position, hash);
    })();
    this.#position = position;
  }

  clear(zone: string): void {
    this.#zone = zone;
    this.#position = 0;
    this.#db.exec('BEGIN; DELETE FROM head; DELETE FROM flows; DELETE FROM entries; COMMIT');
  }

  flowsOf(client: number): readonly Flow[] {
    const rows = this.#sql.flows.all(Math.floor(client / BLOCK));
    return rows.flatMap(({ content }) => unpackFlows(content, client));
  }

  entriesOf(client: number): readonly Entry[] {
    return this.#sql.entries.all(client).filter(({ kind }) => entryKinds.includes(kind));
  }

  close(): void {
    if (this.#db.open) this.#db.close();
  }
}

function openFile(file: string): Database.Database {
  const db = new Database(file);
  try {
    // A crash may take the last writings, and the log has them; it leaves no halves.
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    if (db.pragma('user_version', { simple: true }) !== LAYOUT) {
      const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      for (const { name } of tables) db.exec(`DROP TABLE "${name}"`);
      db.exec(SCHEMA);
      db.pragma(`user_version = ${LAYOUT}`);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function statements(db: Database.Database) {
  return {
    head: db.prepare<[], Head>('SELECT * FROM head'),
    forget: db.prepare('DELETE FROM head'),
    remember: db.prepare('INSERT INTO head VALUES (?, ?, ?, ?)'),
    addFlows: db.prepare('INSERT INTO flows VALUES (?, ?, ?)'),
    addEntry: db.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    flows: db.prepare<[number], { content: Buffer }>('SELECT content FROM flows WHERE block = ? ORDER BY written'),
    entries: db.prepare<[number], Entry>('SELECT * FROM entries WHERE client = ? ORDER BY position'),
  };
}
