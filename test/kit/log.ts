import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type DataDirectory,
  dataDirectory,
  prepareDataDirectory,
} from '../../src/adapters/data-directory/data-directory.js';
import { openDatabase, type SqliteDatabase } from '../../src/adapters/sqlite/database.js';
import { SqliteEventLog } from '../../src/adapters/sqlite/event-log.js';
import { Keyring, masterKey } from '../../src/adapters/sqlite/keyring.js';
import { createBus, type Dispatch } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { Rejection, reject } from '../../src/commands/rejection.js';
import { type PanelState, panelState } from '../../src/commands/state.js';
import type { PanelEvent, RecordedEvent } from '../../src/events/catalog.js';
import type { Caused } from '../../src/events/log/event.js';
import type { AppendContext } from '../../src/events/log/log.js';
import { begin, catchUp } from '../../src/events/log/replay.js';
import { type Text } from '../../src/messages/message.js';
import { type Journal, openJournal } from '../../src/store/journal.js';
import { admin, T0 } from './builders.js';
import { Clock } from './clock.js';

/** In memory if available: tests open hundreds of logs, and each waits for the disk several times. */
const place = ((): string => {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
})();

/** A folder that the caller removes. */
export function scratchFolder(): string {
  return mkdtempSync(join(place, 'portolan-test-'));
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const context = (over: Partial<AppendContext> = {}): AppendContext => ({
  at: T0,
  actor: admin,
  correlationId: 'test',
  ...over,
});

/** The log of a data directory on disk, closed and opened again at will. */
export class TestLog {
  readonly clock = new Clock();
  readonly directory: DataDirectory;
  #journal: Journal;

  constructor(root: string = temporaryFolder()) {
    this.directory = prepareDataDirectory(root);
    this.#journal = openJournal(this.directory, { now: this.clock.now });
    onTestFinished(() => this.log.close());
  }

  get journal(): Journal {
    return this.#journal;
  }

  get log(): SqliteEventLog {
    return this.#journal.log;
  }

  append(...events: readonly Caused<PanelEvent>[]): readonly RecordedEvent[] {
    return this.log.append(events, context({ at: this.clock.now() }));
  }

  all(): readonly RecordedEvent[] {
    return readAll(this.log);
  }

  reopen(): Journal {
    this.log.close();
    this.#journal = openJournal(this.directory, { now: this.clock.now });
    return this.#journal;
  }
}

export function readAll(log: Pick<SqliteEventLog, 'read'>, page = 1000): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (let more = log.read(0, page); more.length > 0; more = log.read(events.at(-1)?.position ?? 0, page)) {
    events.push(...more);
  }
  return events;
}

/** A log with access to its connection, for pragmas of one connection. */
export function openParts(root: string, { readonly = false } = {}): { db: SqliteDatabase; log: SqliteEventLog } {
  const directory = readonly ? dataDirectory(root) : prepareDataDirectory(root);
  const db = openDatabase(directory.database, { readonly });
  onTestFinished(() => {
    if (db.open) db.close();
  });
  const master = masterKey(directory.masterKey, { mayCreate: !readonly });
  return { db, log: new SqliteEventLog(db, new Keyring(db, master, () => T0)) };
}

export interface TestBus {
  readonly dispatch: Dispatch;
  readonly state: PanelState;
  readonly clock: Clock;
  /** Dispatches as an admin; a rejection fails the test. */
  readonly must: (command: AnyCommand) => readonly RecordedEvent[];
}

/** The bus over a log, its state caught up; `complaint` as the journal has it. */
export function busOver(log: SqliteEventLog, clock = new Clock(), complaint: Text | null = null): TestBus {
  const folding = begin(panelState);
  catchUp(log, [folding]);
  const closed = complaint === null ? null : reject('STORAGE_READ_ONLY', { why: complaint });
  const dispatch = createBus({ log, state: folding, now: clock.now, ownPorts: () => [], closed: () => closed });
  const must = (command: AnyCommand): readonly RecordedEvent[] => {
    const done = dispatch(command, { actor: admin, correlationId: 'must' });
    if (done instanceof Rejection) throw new Error(`${command.type}: ${done.message}`);
    return done.events;
  };
  return { dispatch, state: folding.state, clock, must };
}
