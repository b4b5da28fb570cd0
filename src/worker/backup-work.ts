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
import type { CopyTarget } from '../adapters/sqlite/mirror/mirror-copy.js';
import { createBus } from '../commands/bus.js';
import type { ImportReport } from '../commands/import/plan.js';
import type { Replacement, StateContents } from '../commands/ports/backups.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import type { RestoreProgress } from '../commands/ports/restore-checks.js';
import { Rejection } from '../commands/rejection.js';
import { type PanelState, panelState } from '../commands/state.js';
import type { Actor } from '../events/log/event.js';
import { stateDigest } from '../events/log/fold.js';
import { begin, catchUp, type Folding } from '../events/log/replay.js';
import type { Settings } from '../events/settings/settings.js';
import { message } from '../messages/message.js';
import { startFolds } from '../projections/foldings.js';
import { openJournal } from '../store/journal.js';
import { isOvertaken, readBackup, readWhole } from './backup-reader.js';
import { settingsOfHost } from './host-settings.js';
import type { CorePlace } from './xui-template.js';

/** By the name of a fold: its position in the running panel, and its digest there. */
export type Digests = Readonly<Record<string, { readonly position: number; readonly digest: string }>>;

/** Jobs on a whole log, which run in a separate process. Their input and output is JSON. */
export interface CopyJob {
  readonly root: string;
  readonly file: string;
  readonly passphrase: string;
  readonly release: string;
  readonly now: number;
}
export interface SnapshotJob {
  readonly database: string;
  readonly file: string;
  /** Only what this mirror may have; null = everything. */
  readonly mirror: CopyTarget | null;
}
export interface VerifyJob {
  readonly file: string;
  readonly passphrase: string;
  readonly digests: Digests;
}
export interface StageJob {
  /** A private file, which is moved into the staged directory. */
  readonly file: string;
  readonly passphrase: string;
  /** A staged, empty data directory. */
  readonly root: string;
  readonly requestedBy: Actor;
  readonly now: number;
  /** The settings of the panel that runs on this machine; null when none does. */
  readonly host: Settings | null;
  /** The core of this machine, which checks the template of 3x-ui. */
  readonly core: CorePlace;
}

export interface Verified {
  readonly position: number;
  readonly events: number;
  /** Number of models whose digests were compared. */
  readonly compared: number;
  /** Data was destroyed or rolled up after the digests were taken, so they could not be compared. */
  readonly overtaken: boolean;
}

/** Imports a database of 3x-ui into an empty data directory. Rejects with `RefusedFile`. */
export type ImportXui = (
  file: string,
  directory: DataDirectory,
  options: Pick<StageJob, 'requestedBy' | 'now' | 'host' | 'core'>,
) => Promise<ImportReport>;

/** Receives the progress of a job. */
export type Follow = (progress: RestoreProgress) => void;
const step = (phase: RestoreProgress['phase'], done = 0, total = 0): RestoreProgress => ({ phase, done, total });

/** The log, its write-ahead log and its snapshots need this many times the size of a database of 3x-ui. */
const XUI_GROWTH = 9;

export const copy = ({ root, ...options }: CopyJob) => copyLog({ ...options, directory: dataDirectory(root) });

/**
 * Verifies a backup: schema, pages, chain and every payload. Then replays it and compares the digests of its models with
 * those of the panel at the same positions. Throws `RefusedFile`.
 */
export function verify({ file, passphrase, digests }: VerifyJob): Verified {
  const db = openUntrusted(file);
  try {
    if (kindOf(db) !== 'portolan') throw new RefusedFile(message('backup.otherPanel'));
    const { log } = readBackup(db, passphrase);
    const foldings: readonly Folding[] = [...Object.values(startFolds()), begin(panelState)];
    const expectations = Object.entries(digests);
    const overtaken = isOvertaken(
      log,
      Math.min(log.head().position, ...expectations.map(([, { position }]) => position)),
    );
    const checkpoints = expectations.map(([name, { position, digest: expected }]) => ({
      position,
      check(): void {
        const folding = foldings.find(({ fold }) => fold.name === name);
        if (!folding) throw new Error(`no fold is named ${name}`);
        if (!overtaken && stateDigest(folding.fold, folding.state) !== expected)
          throw new RefusedFile(message('backup.modelDiffers', { model: name, position }));
      },
    }));
    const events = readWhole(log, foldings, checkpoints);
    return { position: log.head().position, events, compared: overtaken ? 0 : expectations.length, overtaken };
  } finally {
    db.close();
  }
}

/**
 * Verifies a file and makes it the log of a staged data directory. Rejects with `RefusedFile`, and with `BackupError` when
 * the disk has too little free space for the next start, which writes to the log and makes snapshots.
 */
export async function stageState(
  job: StageJob,
  importXui: ImportXui,
  follow: Follow = () => undefined,
): Promise<Omit<Replacement, 'generation' | 'position'> & { readonly generation: string; readonly position: number }> {
  const { file, root } = job;
  const directory = dataDirectory(root);
  follow(step('reading'));
  const db = openUntrusted(file);
  assertRoom(root, sizeOf(file));
  let kind: Replacement['kind'];
  let opened: { readonly row: BackupRow; readonly master: Buffer } | null = null;
  const state = begin(panelState);
  try {
    kind = kindOf(db);
    if (kind === '3x-ui') assertRoom(root, XUI_GROWTH * sizeOf(file));
    if (kind === 'portolan') {
      const { log, row, master } = readBackup(db, job.passphrase);
      const total = log.head().position;
      readWhole(log, [...Object.values(startFolds()), state], [], (done) => follow(step('verifying', done, total)));
      opened = { row, master };
    }
  } finally {
    db.close();
  }
  const sha256 = await sha256Of(file);
  let report: ImportReport | null = null;
  follow(step(opened ? 'preparing' : 'importing'));
  if (opened) adopt(file, directory, opened.master);
  else report = await importXui(file, directory, job);
  follow(step('preparing'));

  const origin = opened && { generation: opened.row.generation, position: opened.row.position };
  const { log, anchor } = openJournal(directory, { now: () => job.now });
  try {
    catchUp(log, [state]);
    const hostSettings = await settingsOfHost(state.state.settings, job.host);
    const keep = Object.fromEntries(hostSettings.map(({ key, value }) => [key, value]));
    const dispatch = createBus({ log, state, now: () => job.now, ownPorts: () => [], closed: () => null });
    const command = { type: 'AdoptState', data: { source: kind, sha256, origin, keep } } as const;
    const done = dispatch(command, { actor: job.requestedBy, correlationId: randomUUID() });
    if (done instanceof Rejection) throw new RefusedFile(done.text);
    const [imported] = done.events;
    const names = imported?.type === 'StateImported' ? imported.data.keptSettings : [];
    await anchor.flush();
    log.checkpoint();
    const kept = hostSettings.filter(({ key }) => names.includes(key)).map(({ key, why }) => ({ key, why }));
    const { made: madeAt, release } = opened?.row ?? { made: 0, release: '' };
    return {
      ...{ kind, sha256, report, kept, generation: log.generation, position: log.head().position },
      origin: origin && { ...origin, madeAt, release },
      contents: contentsOf(state.state),
    };
  } finally {
    log.close();
  }
}

const contentsOf = ({ inbounds, clients, nodes, users, settings }: PanelState): StateContents => ({
  inbounds: inbounds.size,
  clients: clients.size,
  nodes: nodes.size,
  admins: users.size,
  basePath: settings.webBasePath,
});

/**
 * Makes a backup the log of a data directory, with a new identity. The chain covers only the events, so the other tables
 * are derived from them again.
 */
function adopt(file: string, directory: DataDirectory, master: Buffer): void {
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
      db.exec(DELETE_UNCONFIRMED);
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

/** Deletes recorded commands that the events do not confirm: a later command would get their results. */
const DELETE_UNCONFIRMED = `
WITH answers AS MATERIALIZED (
  SELECT json_extract(meta, '$.command') AS key, min(position) AS first, max(position) AS last, count(*) AS events, min(at) AS at
  FROM events WHERE EXISTS (SELECT 1 FROM commands) AND json_extract(meta, '$.command') IS NOT NULL GROUP BY 1
)
DELETE FROM commands WHERE NOT EXISTS (
  SELECT 1 FROM answers WHERE answers.key = commands.key AND answers.first = commands.first
    AND answers.last = commands.last AND answers.at = commands.at AND answers.events = answers.last - answers.first + 1
)`;

/** The ranges that roll-ups cover. */
function rolledUp(db: SqliteDatabase, master: Buffer): readonly { readonly from: number; readonly to: number }[] {
  const log = new SqliteEventLog(db, new Keyring(db, master, Date.now));
  const ranges = [];
  for (const event of log.stored.ofTypes(['MeasurementsRolledUp']))
    if (event.type === 'MeasurementsRolledUp')
      ranges.push({ from: event.data.fromPosition, to: event.data.toPosition });
  return ranges;
}
