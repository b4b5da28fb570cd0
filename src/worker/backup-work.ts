import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { copyLog } from '../adapters/backup/copy.js';
import type { BackupRow } from '../adapters/backup/layout.js';
import { assertRoom, sizeOf } from '../adapters/backup/room.js';
import { kindOf, openUntrusted } from '../adapters/backup/untrusted.js';
import { type DataDirectory, dataDirectory } from '../adapters/data-directory/data-directory.js';
import { sha256Of } from '../adapters/data-directory/files.js';
import { openDatabase, type SqliteDatabase } from '../adapters/sqlite/database.js';
import { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { Keyring } from '../adapters/sqlite/keyring.js';
import { createBus } from '../commands/bus.js';
import type { Replacement } from '../commands/ports/backups.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import { Rejection } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import type { Actor } from '../events/log/event.js';
import { stateDigest } from '../events/log/fold.js';
import { begin, catchUp, type Folding } from '../events/log/replay.js';
import type { Settings } from '../events/settings/settings.js';
import { message } from '../messages/message.js';
import { beginAll } from '../projections/foldings.js';
import { openJournal } from '../store/journal.js';
import { isOvertaken, readBackup, readWhole } from './backup-reader.js';
import type { CorePlace } from './foreign-template.js';
import { hostBound } from './host-bound.js';

/** The digest of a fold of the running panel, and the position at which it had it. */
export type Digests = Readonly<Record<string, { readonly position: number; readonly digest: string }>>;

/** What takes long over a whole log; it is done in a process of its own. Everything in it is JSON. */
export interface CopyJob {
  readonly root: string;
  readonly file: string;
  readonly passphrase: string;
  readonly release: string;
  readonly now: number;
}
export interface VerifyJob {
  readonly file: string;
  readonly passphrase: string;
  readonly digests: Digests;
}
export interface StageJob {
  /** A private file: it is moved from its place. */
  readonly file: string;
  readonly passphrase: string;
  /** A staged, empty data directory. */
  readonly root: string;
  readonly requestedBy: Actor;
  readonly now: number;
  /** The settings of the panel that runs on this machine; null when none does. */
  readonly host: Settings | null;
  /** The core of this machine, which is asked about the template of a foreign panel. */
  readonly core: CorePlace;
}

export interface Verified {
  readonly position: number;
  readonly events: number;
  /** Folds whose digest was compared. */
  readonly compared: number;
  /** What was destroyed or rolled up since the digests were taken is gone in the file: they could not be compared. */
  readonly overtaken: boolean;
}

/** Makes a log of a database of 3x-ui in an empty data directory. Throws a sentence for what is none. */
export type ImportForeign = (
  file: string,
  directory: DataDirectory,
  options: Pick<StageJob, 'requestedBy' | 'now' | 'host' | 'core'>,
) => Promise<unknown>;

/** What a database of 3x-ui takes on the disk while it becomes a log, its write-ahead log and snapshots: so many times its size. */
const FOREIGN_GROWTH = 9;

export const copy = ({ root, ...options }: CopyJob) => copyLog({ ...options, directory: dataDirectory(root) });

/**
 * Reads a backup whole: schema, pages, chain, every payload; replays it, and compares what the folds of the panel were
 * with what they are here at the same position. Throws `RefusedFile`.
 */
export function verify({ file, passphrase, digests }: VerifyJob): Verified {
  const db = openUntrusted(file);
  try {
    if (kindOf(db) !== 'portolan') throw new RefusedFile(message('backup.otherPanel'));
    const { log } = readBackup(db, passphrase);
    const foldings: readonly Folding[] = [...Object.values(beginAll()), begin(panelState)];
    const wanted = Object.entries(digests);
    const overtaken = isOvertaken(log, Math.min(log.head().position, ...wanted.map(([, { position }]) => position)));
    const stops = wanted.map(([name, { position, digest: expected }]) => ({
      position,
      check(): void {
        const folding = foldings.find(({ fold }) => fold.name === name);
        if (!folding) throw new Error(`There is no fold ${name} to compare with`);
        if (!overtaken && stateDigest(folding.fold, folding.state) !== expected)
          throw new RefusedFile(message('backup.modelDiffers', { model: name, position }));
      },
    }));
    const events = readWhole(log, foldings, stops);
    return { position: log.head().position, events, compared: overtaken ? 0 : wanted.length, overtaken };
  } finally {
    db.close();
  }
}

/**
 * Checks a file whole, and makes of it a log in a staged data directory. Throws `RefusedFile`, and before anything else
 * when the disk has no room for the start that follows: the log moves, but is written to and read into snapshots.
 */
export async function stageState(
  job: StageJob,
  importForeign: ImportForeign,
): Promise<Omit<Replacement, 'generation' | 'position'> & { readonly generation: string; readonly position: number }> {
  const { file, root } = job;
  const directory = dataDirectory(root);
  const db = openUntrusted(file);
  assertRoom(root, sizeOf(file));
  let kind: Replacement['kind'];
  let opened: { readonly row: BackupRow; readonly master: Buffer } | null = null;
  const state = begin(panelState);
  try {
    kind = kindOf(db);
    if (kind === '3x-ui') assertRoom(root, FOREIGN_GROWTH * sizeOf(file));
    if (kind === 'portolan') {
      const { log, row, master } = readBackup(db, job.passphrase);
      readWhole(log, [...Object.values(beginAll()), state]);
      opened = { row, master };
    }
  } finally {
    db.close();
  }
  const sha256 = await sha256Of(file);
  let report: unknown = null;
  if (opened) take(file, directory, opened.master);
  else report = await importForeign(file, directory, job);

  const origin = opened && { generation: opened.row.generation, position: opened.row.position };
  const { log, anchor } = openJournal(directory, { now: () => job.now });
  try {
    catchUp(log, [state]);
    const bound = await hostBound(state.state.settings, job.host);
    const keep = Object.fromEntries(bound.map(({ key, value }) => [key, value]));
    const dispatch = createBus({ log, state: state.state, now: () => job.now, ownPorts: () => [], closed: () => null });
    const command = { type: 'AdoptState', data: { source: kind, sha256, origin, keep } } as const;
    const done = dispatch(command, { actor: job.requestedBy, correlationId: randomUUID() });
    if (done instanceof Rejection) throw new RefusedFile(done.text);
    const [imported] = done.events;
    const names = imported?.type === 'StateImported' ? imported.data.keptSettings : [];
    await anchor.flush();
    log.checkpoint();
    const kept = bound.filter(({ key }) => names.includes(key)).map(({ key, why }) => ({ key, why }));
    return { kind, sha256, report, kept, generation: log.generation, position: log.head().position };
  } finally {
    log.close();
  }
}

/**
 * Makes of a backup the log of a data directory, with an identity of its own. What stands beside the events follows from
 * them: the chain does not cover it, and so it is not taken on trust.
 */
function take(file: string, directory: DataDirectory, master: Buffer): void {
  renameSync(file, directory.database);
  const db = openDatabase(directory.database);
  try {
    const ranges = rolledUp(db, master);
    db.transaction(() => {
      db.exec('DROP TABLE backup');
      db.exec("DELETE FROM meta WHERE key <> 'generation'");
      db.prepare("UPDATE meta SET value = ? WHERE key = 'generation'").run(randomUUID());
      db.exec('DELETE FROM prunable');
      const allow = db.prepare('INSERT INTO prunable VALUES (?, ?)');
      for (const { from, to } of ranges) allow.run(from, to);
      db.exec(FORGET_FORGED);
    })();
  } finally {
    db.close();
  }
  const handle = openSync(directory.masterKey, 'wx', 0o600);
  try {
    writeSync(handle, `${master.toString('hex')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Answers to commands that the events do not tell of, each of them and all of them, would be given to a later one. */
const FORGET_FORGED = `
WITH answers AS MATERIALIZED (
  SELECT json_extract(meta, '$.command') AS key, min(position) AS first, max(position) AS last, count(*) AS events, min(at) AS at
  FROM events WHERE EXISTS (SELECT 1 FROM commands) AND json_extract(meta, '$.command') IS NOT NULL GROUP BY 1
)
DELETE FROM commands WHERE NOT EXISTS (
  SELECT 1 FROM answers WHERE answers.key = commands.key AND answers.first = commands.first
    AND answers.last = commands.last AND answers.at = commands.at AND answers.events = answers.last - answers.first + 1
)`;

/** The positions whose measurements roll-ups stand for. */
function rolledUp(db: SqliteDatabase, master: Buffer): readonly { readonly from: number; readonly to: number }[] {
  const log = new SqliteEventLog(db, new Keyring(db, master, Date.now));
  const ranges = [];
  for (const event of log.readTypes(['MeasurementsRolledUp']))
    if (event.type === 'MeasurementsRolledUp')
      ranges.push({ from: event.data.fromPosition, to: event.data.toPosition });
  return ranges;
}
