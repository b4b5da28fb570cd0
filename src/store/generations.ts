import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Intent, readIntent, removeIntent, writeIntent } from '../adapters/backup/intent.js';
import { type DataDirectory, prepareDataDirectory } from '../adapters/data-directory/data-directory.js';
import { flush } from '../adapters/data-directory/files.js';
import { failureText } from '../lib/errors/failure-text.js';
import { MessageError } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import { isDiskFull } from './full-disk.js';

/** A private data directory on the same file system. Its log can replace that of the panel. */
export interface Staged {
  readonly directory: DataDirectory;
  /** Deletes the directory, unless `switchTo` was called for it. */
  discard(): void;
}

/** The result of a switch of the state that a start has completed. */
export interface SwitchResult {
  /** `switched`: this start serves the new state. `returned`: it serves the state before again. */
  readonly outcome: 'switched' | 'returned';
  /** The cause of the switch and, if it was rolled back, the error. */
  readonly why: Text;
}

/** The files of a state, which are only moved together: SQLite would read the side files of another database. */
const STATE = ['events.db', 'events.db-wal', 'events.db-shm', 'head.json', join('keys', 'master.key')];
/** Failed starts until the previous state is restored. A power cut counts as one. */
const MAX_ATTEMPTS = 2;

const stagedIn = (root: string): string => join(root, 'staged');

/** Creates an empty staged directory. The next start deletes directories that a killed process has left. */
export function stage({ root }: Pick<DataDirectory, 'root'>): Staged {
  const folder = join(stagedIn(root), randomBytes(8).toString('hex'));
  mkdirSync(stagedIn(root), { recursive: true, mode: 0o700 });
  const directory = prepareDataDirectory(folder);
  return {
    directory,
    discard() {
      if (readIntent(root)?.from !== relative(root, folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Records durably that the staged state replaces the current one. The log of the staged directory must be closed. The next
 * `completeSwitch` moves the files; no process may have the current log open then. Throws `MessageError` when another
 * switch is pending.
 */
export function switchTo(directory: Pick<DataDirectory, 'root'>, staged: Staged, why: Text): void {
  const { root } = directory;
  if (readIntent(root) !== null) throw new MessageError(message('backup.replacementPending'));
  const time = new Date().toISOString().replace(/[:.]/g, '-');
  for (const name of STATE) if (existsSync(join(staged.directory.root, name))) flush(join(staged.directory.root, name));
  for (const folder of [dirname(staged.directory.masterKey), staged.directory.root, stagedIn(root), root])
    flush(folder);
  writeIntent(root, {
    phase: 'clear',
    from: relative(root, staged.directory.root),
    to: `backups/replaced-${time}`,
    refused: `backups/refused-${time}`,
    why,
    tries: 0,
    failure: null,
  });
}

/**
 * Completes or rolls back a recorded switch, and deletes other staged directories. The caller must hold the lock and must
 * not have opened the log. Every step can be repeated; `step` is called before each. Null: no switch was recorded.
 */
export function completeSwitch(
  directory: DataDirectory,
  step: (name: string) => void = () => undefined,
): SwitchResult | null {
  const { root } = directory;
  let intent = readIntent(root);
  const to = (phase: Intent['phase'], change: Partial<Intent> = {}): void => {
    step(phase);
    if (intent) writeIntent(root, (intent = { ...intent, ...change, phase }));
  };
  if (intent?.phase === 'trial') {
    const failure = intent.failure ?? (intent.tries >= MAX_ATTEMPTS ? message('backup.notReady') : null);
    if (failure !== null) to('return-clear', { failure });
  }
  if (intent?.phase === 'clear') {
    move(root, root, join(root, intent.to), step);
    to('fill');
  }
  if (intent?.phase === 'fill') {
    move(root, join(root, intent.from), root, step);
    // Without a previous state there is nothing to roll back to.
    if (existsSync(join(root, intent.to, 'events.db'))) to('trial');
    else removeIntent(root);
  }
  if (intent?.phase === 'return-clear') {
    move(root, root, join(root, intent.refused), step);
    to('return-fill');
  }
  if (intent?.phase === 'return-fill') {
    move(root, join(root, intent.to), root, step);
    rmSync(join(root, intent.to), { recursive: true, force: true });
    to('returned');
  }
  rmSync(stagedIn(root), { recursive: true, force: true });
  if (!intent) return null;
  if (intent.phase === 'returned') {
    const why = message('backup.rolledBack', { what: intent.why, why: intent.failure ?? message('backup.notReady') });
    return { outcome: 'returned', why };
  }
  return { outcome: 'switched', why: intent.why };
}

/** Counts a start that tries a new state, if there is one. */
export function recordAttempt({ root }: Pick<DataDirectory, 'root'>): void {
  const intent = readIntent(root);
  if (intent?.phase === 'trial') writeIntent(root, { ...intent, tries: intent.tries + 1 });
}

/** Ends a switch: the start is ready and has recorded its result, so a rollback is no longer possible. */
export function confirmSwitch({ root }: Pick<DataDirectory, 'root'>): void {
  removeIntent(root);
}

/** Whether the next start tries a new state. */
export function switching(root: string): boolean {
  try {
    const phase = readIntent(root)?.phase;
    return phase === 'clear' || phase === 'fill' || phase === 'trial';
  } catch {
    return false;
  }
}

/** Whether the current start tries a new state, which the next one may roll back. */
export function onTrial(root: string): boolean {
  try {
    return readIntent(root)?.phase === 'trial';
  } catch {
    return false;
  }
}

/**
 * A start failed with this error. The next one restores the previous state, unless the disk was full: the new
 * state is not the cause then, and the attempt does not count.
 */
export function failAttempt(root: string, error: unknown): void {
  if (isDiskFull(error)) undoAttempt(root);
  else recordFailure(root, failureText(error));
}

/** Best effort: the disk itself may be the problem. */
function undoAttempt(root: string): void {
  try {
    const intent = readIntent(root);
    if (intent?.phase === 'trial' && intent.tries > 0) writeIntent(root, { ...intent, tries: intent.tries - 1 });
  } catch {
    // The attempt counts then.
  }
}

/** Records that the new state failed: the next `completeSwitch` rolls back to the previous one. */
export function recordFailure(root: string, why: Text): void {
  const intent = readIntent(root);
  if (intent?.phase === 'trial' && intent.failure === null) writeIntent(root, { ...intent, failure: why });
}

/** Throws `MessageError` when a switch was interrupted, because the files may be mixed. */
export function assertWhole(root: string): void {
  const phase = readIntent(root)?.phase;
  if (phase === undefined || phase === 'trial' || phase === 'returned') return;
  throw new MessageError(message('backup.replacementInterrupted'));
}

/** Moves the files of a state between folders of one file system. Can be repeated after an interruption. */
function move(root: string, from: string, to: string, step: (name: string) => void): void {
  for (const name of STATE) {
    if (!lstatSync(join(from, name), { throwIfNoEntry: false })) continue;
    step(`move ${name} to ${relative(root, to)}`);
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    renameSync(join(from, name), join(to, name));
  }
  for (const folder of [from, join(from, 'keys'), to, join(to, 'keys'), dirname(to)])
    if (existsSync(folder)) flush(folder);
}
