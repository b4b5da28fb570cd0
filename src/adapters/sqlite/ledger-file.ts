import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  type ClockSetback,
  type Entry,
  entryKinds,
  type Flow,
  type LedgerBatch,
  LedgerError,
  type LedgerStore,
} from '../../events/log/ledger-store.js';
import { warnOperator } from '../../lib/errors/operator-warning.js';
import { message } from '../../messages/message.js';
import { DATABASE_FILES, headerOf, OtherDatabaseError } from './own-file.js';
import { packFlows, unpackFlows } from './packed-flows.js';

/** Increase it when the layout or the content changes: a file with another version is rebuilt. */
const LAYOUT = 5;
/** `application_id` of our ledgers. */
const OURS = 0x504f_5254;
const SCHEMA = `
CREATE TABLE head (
  generation TEXT NOT NULL, zone TEXT NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL, day INTEGER NOT NULL
) STRICT;
CREATE TABLE setbacks (position INTEGER PRIMARY KEY, day INTEGER NOT NULL) STRICT;
CREATE TABLE flows (
  block INTEGER NOT NULL, written INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (block, written)
) STRICT, WITHOUT ROWID;
CREATE INDEX flows_written ON flows (written);
CREATE TABLE entries (
  client INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, day INTEGER NOT NULL, kind TEXT NOT NULL,
  up INTEGER NOT NULL, down INTEGER NOT NULL, other INTEGER NOT NULL, rule TEXT NOT NULL,
  PRIMARY KEY (client, position)
) STRICT, WITHOUT ROWID;
`;

/**
 * Number of clients whose flows share a row. With fewer, a write changes more pages; with more, a query for one client reads
 * longer rows.
 */
const CLIENTS_PER_ROW = 16;

/** What the ledger file compares with the log. */
export interface Chain {
  readonly generation: string;
  hashAt(position: number): string | null;
  readonly rolledTo: number;
}

interface Head {
  readonly generation: string;
  readonly zone: string;
  readonly position: number;
  readonly hash: string;
  readonly day: number;
}

/** The ledger in its own database beside the log. It contains numbers of clients and bytes, and no personal data. */
export class LedgerFile implements LedgerStore {
  readonly #db: Database.Database;
  readonly #log: Chain;
  readonly #sql;
  readonly #zone: string;
  #position: number;
  #day: number;
  #setbacks: readonly ClockSetback[];

  /**
   * Opens the file if it is readable and belongs to this log and this zone. Otherwise creates an empty one: a ledger of ours is
   * deleted, a file of another program is renamed. Throws when no file can be created.
   */
  constructor(file: string, log: Chain, zone: string) {
    this.#log = log;
    this.#zone = zone;
    const known = isOurs(file) ? openLedger(file, log, zone) : null;
    if (known === null) removeLedger(file);
    const { db, sql, position, day, setbacks } = known ?? createLedger(file);
    this.#db = db;
    this.#sql = sql;
    this.#position = position;
    this.#day = day;
    this.#setbacks = setbacks;
  }

  get day(): number {
    return this.#day;
  }

  get setbacks(): readonly ClockSetback[] {
    return this.#setbacks;
  }

  get position(): number {
    return this.#position;
  }

  write(position: number, { flows, entries, setbacks, day }: LedgerBatch): void {
    const hash = this.#log.hashAt(position) ?? '';
    const blocks = new Map<number, Flow[]>();
    for (const flow of flows) {
      const block = Math.floor(flow.client / CLIENTS_PER_ROW);
      const others = blocks.get(block);
      if (others) others.push(flow);
      else blocks.set(block, [flow]);
    }
    const put = this.#db.transaction(() => {
      for (const [block, blockFlows] of blocks) this.#sql.addFlows.run(block, position, packFlows(blockFlows));
      for (const { client, position: place, at, day: own, kind, up, down, other, rule } of entries)
        this.#sql.addEntry.run(client, place, at, own, kind, up, down, other, rule);
      for (const setback of setbacks) this.#sql.addSetback.run(setback.position, setback.day);
      this.#sql.forget.run();
      this.#sql.remember.run(this.#log.generation, this.#zone, position, hash, day);
    });
    try {
      put();
    } catch (error) {
      throw isDamage(error) ? new LedgerError('the file is damaged', { cause: error }) : error;
    }
    this.#position = position;
    this.#day = day;
    if (setbacks.length > 0) this.#setbacks = [...this.#setbacks, ...setbacks];
  }

  flowsOf(client: number): readonly Flow[] {
    const rows = asLedgerError(() => this.#sql.flows.all(Math.floor(client / CLIENTS_PER_ROW)));
    return rows.flatMap(({ content }) => unpackFlows(content, client));
  }

  /** Reads the newest writes until one has no flow of these days. */
  flowsSince(day: number): readonly Flow[] {
    const found: Flow[] = [];
    for (const { written } of asLedgerError(() => this.#sql.writes.all())) {
      const rows = asLedgerError(() => this.#sql.flowsWritten.all(written));
      const flows = rows.flatMap(({ content }) => unpackFlows(content)).filter((flow) => flow.day >= day);
      if (flows.length === 0 && rows.length > 0) break;
      found.push(...flows);
    }
    return found;
  }

  entriesOf(client: number): readonly Entry[] {
    const entries = asLedgerError(() => this.#sql.entries.all(client));
    if (entries.some(({ kind }) => !entryKinds.includes(kind))) throw new LedgerError('an entry has an unknown kind');
    return entries;
  }

  close(): void {
    if (this.#db.open) this.#db.close();
  }
}

/** Deletes the ledger. Does not follow links. Throws when there is a folder in its place. */
export function removeLedger(file: string): void {
  for (const end of DATABASE_FILES) rmSync(file + end, { force: true });
}

/** The suffix that a file of another program gets if it is in the place of the ledger. */
const ASIDE = '.not-ours';

/**
 * Whether the file is a regular one with the current layout of the ledger. SQLite is not used, because it follows links and
 * may write when it reads. A file of another program is renamed and kept.
 */
function isOurs(file: string): boolean {
  const found = DATABASE_FILES.map((end) => lstatSync(file + end, { throwIfNoEntry: false }));
  if (found[0] === undefined || found.some((file) => file?.isFile() === false)) return false;
  const header = headerOf(file);
  if (header === null || header.mark === OURS || header.isEmpty) return header?.layout === LAYOUT;
  if (existsSync(file + ASIDE))
    throw new OtherDatabaseError(file, message('storage.asideTaken', { file: `${file}${ASIDE}` }));
  renameSync(file, file + ASIDE);
  warnOperator(message('storage.ledgerMovedAside', { file, aside: `${file}${ASIDE}` }));
  return false;
}

/** Null when it cannot be read or belongs to another log or zone. */
function openLedger(file: string, log: Chain, zone: string) {
  const db = new Database(file);
  try {
    setModes(db);
    const sql = statements(db);
    // Without a head the ledger is empty.
    const head = sql.head.get();
    if (!head || isUsable(head, log, zone))
      return { db, sql, position: head?.position ?? 0, day: head?.day ?? 0, setbacks: sql.setbacks.all() };
  } catch {
    // Handled like the ledger of another log.
  }
  db.close();
  return null;
}

function isUsable({ generation, zone, position, hash }: Head, log: Chain, wanted: string): boolean {
  // A later sum may include bytes that the ledger already contains.
  const isWhole = position >= log.rolledTo;
  return generation === log.generation && zone === wanted && isWhole && hash === log.hashAt(position);
}

function createLedger(file: string) {
  const db = new Database(file);
  try {
    // Written before the write-ahead log exists, so that the header of the file has the mark from the start.
    db.exec(`BEGIN; PRAGMA application_id = ${OURS}; PRAGMA user_version = ${LAYOUT}; ${SCHEMA} COMMIT`);
    setModes(db);
    return { db, sql: statements(db), position: 0, day: 0, setbacks: [] };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A crash may lose the last transactions, which are read from the log again, but never a part of one. */
function setModes(db: Database.Database): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
}

function isDamage(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** Any error while reading becomes a `LedgerError`, because a rebuilt file solves it. */
function asLedgerError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new LedgerError('the file cannot be read', { cause: error });
  }
}

function statements(db: Database.Database) {
  return {
    head: db.prepare<[], Head>('SELECT * FROM head'),
    forget: db.prepare('DELETE FROM head'),
    remember: db.prepare('INSERT INTO head VALUES (?, ?, ?, ?, ?)'),
    addSetback: db.prepare('INSERT INTO setbacks VALUES (?, ?)'),
    setbacks: db.prepare<[], ClockSetback>('SELECT position, day FROM setbacks ORDER BY position'),
    addFlows: db.prepare('INSERT INTO flows VALUES (?, ?, ?)'),
    addEntry: db.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    flows: db.prepare<[number], { content: Buffer }>('SELECT content FROM flows WHERE block = ? ORDER BY written'),
    writes: db.prepare<[], { written: number }>('SELECT DISTINCT written FROM flows ORDER BY written DESC'),
    flowsWritten: db.prepare<[number], { content: Buffer }>('SELECT content FROM flows WHERE written = ?'),
    entries: db.prepare<[number], Entry>('SELECT * FROM entries WHERE client = ? ORDER BY position'),
  };
}
