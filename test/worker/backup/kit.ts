import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { copyDatabase } from '../../../src/adapters/sqlite/replication/log-copy.js';
import { panelState } from '../../../src/commands/state.js';
import { type Fold, stateDigest } from '../../../src/events/log/fold.js';
import { begin, catchUp } from '../../../src/events/log/replay.js';
import type { Settings } from '../../../src/events/settings/settings.js';
import { startFolds } from '../../../src/projections/foldings.js';
import { stage } from '../../../src/store/generations.js';
import type { BackupWork } from '../../../src/worker/backup-jobs.js';
import { copy, type Digests, stageState, verify } from '../../../src/worker/backup-work.js';
import { diff } from '../../../src/worker/log-diff.js';
import { admin, clientAdded, HOUR, inboundAdded, traffic } from '../../kit/builders.js';
import { busOver, TestLog, temporaryFolder } from '../../kit/log.js';

/** The work of a backup in this process, where a test can look at it. */
export const work: BackupWork = {
  copy: async (job) => copy(job),
  verify: async (job) => verify(job),
  snapshot: async ({ database, file }) => copyDatabase(database, file),
  stage: (job, follow) => stageState(job, nothingForeign, follow),
  diff: async (job) => diff(job),
};

/** A log with an admin, an inbound, a client, a secret setting, and an hour of traffic that was rolled up. */
export function lived(): TestLog {
  const own = new TestLog();
  own.append(inboundAdded(), clientAdded());
  const bus = busOver(own.log, own.clock);
  bus.must({ type: 'CreateUser', data: { username: 'captain', passwordHash: 'hash' } });
  bus.must({ type: 'ChangeSettings', data: { changes: { webPort: 4001, subPort: 4002, ldapPassword: 'ahoy there' } } });
  for (let i = 0; i < 20; i += 1) {
    own.clock.advance(60_000);
    own.append(traffic({ clients: [[1, 10, 20]], inbounds: [[1, 10, 20]] }));
  }
  return own;
}

export interface Made {
  readonly file: string;
  readonly position: number;
  readonly sealed: boolean;
}

/** A backup of a log, in a folder of its own. */
export function backUp({ directory: { root } }: Pick<TestLog, 'directory'>, passphrase = ''): Made {
  const file = join(temporaryFolder(), 'copy.db');
  const { position, sealed } = copy({ root, file, passphrase, release: '1.2.3', now: 1_800_000_000_000 });
  return { file, position, sealed };
}

/** The digest of every fold at the head of a log. */
export function digestsOf({ log }: Pick<TestLog, 'log'>): Digests {
  const foldings = [...Object.values(startFolds()), begin(panelState)];
  catchUp(log, foldings);
  const { position } = log.head();
  return Object.fromEntries(
    foldings.map(({ fold, state }) => [fold.name, { position, digest: stateDigest(fold as Fold<unknown>, state) }]),
  );
}

/** Changes a file with SQLite directly, without the rules of the panel. */
export function tamper(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file);
  try {
    db.unsafeMode(true);
    change(db);
  } finally {
    db.close();
  }
}

/** Without the triggers that keep events as they are, and with them again at the end. */
export function tamperEvents(file: string, sql: string): void {
  tamper(file, (db) => {
    const triggers = db
      .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    db.exec(sql);
    for (const trigger of triggers) db.exec(trigger.sql);
  });
}

export function patch(file: string, change: (bytes: Buffer) => Buffer | void): void {
  const bytes = readFileSync(file);
  writeFileSync(file, change(bytes) ?? bytes);
}

/** No database of 3x-ui comes this way. */
const nothingForeign = async (): Promise<never> => {
  throw new Error('not here');
};

const NO_CORE = { binary: null, geo: '/nowhere' };

/** Stages a file in an empty data directory, as an import does. */
export function staging(
  file: string,
  { passphrase = '', host = null }: { passphrase?: string; host?: Settings | null } = {},
) {
  const staged = stage({ root: temporaryFolder() });
  const job = {
    file,
    passphrase,
    root: staged.directory.root,
    requestedBy: admin,
    now: 1_800_000_000_000 + HOUR,
    host,
    core: NO_CORE,
  };
  return { directory: staged.directory, done: stageState(job, nothingForeign) };
}
