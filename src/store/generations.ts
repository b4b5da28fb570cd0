import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Intent, readIntent, removeIntent, writeIntent } from '../adapters/backup/intent.js';
import { type DataDirectory, prepareDataDirectory } from '../adapters/data-directory/data-directory.js';
import { flush } from '../adapters/data-directory/files.js';
import { MessageError, textOf } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import { isDiskFull } from './full-disk.js';

/** A private data directory on the same file system, empty at first, whose log can become that of the panel. */
export interface Staged {
  readonly directory: DataDirectory;
  /** Takes it away with all that is in it, unless it was decided that it counts. */
  discard(): void;
}

/** What a start found of a switch, for the log of the panel and the operator. */
export interface SwitchResult {
  /** `switched`: this start serves the new state. `returned`: it serves the state before again. */
  readonly outcome: 'switched' | 'returned';
  /** What the switch was for and, where it was taken back, why. */
  readonly why: Text;
}

/** All that makes a state, beside each other or not at all: SQLite would read the side files of another database. */
const STATE = ['events.db', 'events.db-wal', 'events.db-shm', 'head.json', join('keys', 'master.key')];
/** Starts that may end before they are ready, by a power cut say, until the state before comes back. */
const MAX_ATTEMPTS = 2;

const stagedIn = (root: string): string => join(root, 'staged');

/** Makes an empty one. What a process that died left there goes at the next start. */
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
 * Decides that the staged state is the one that counts: from here on it survives anything, and nothing before has any
 * effect. The log of the staged directory must be closed. It comes into its place at the next `completeSwitch`, for which
 * nobody may have the log before open. `why` is a sentence for the operator. Throws when another switch is under way.
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
 * Finishes or undoes a switch that was decided, and takes away what was only staged. For the holder of the lock, before
 * the log is opened; each step can be done again. `step` is told of each one before it is taken. Null: there was none.
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
    // Where nothing was before there is nothing to come back to.
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

/** A start of the panel begins to try a new state, if there is one. */
export function recordAttempt({ root }: Pick<DataDirectory, 'root'>): void {
  const intent = readIntent(root);
  if (intent?.phase === 'trial') writeIntent(root, { ...intent, tries: intent.tries + 1 });
}

/** The start is ready, and its log knows what became of the switch: there is no way back any more. */
export function confirmSwitch({ root }: Pick<DataDirectory, 'root'>): void {
  removeIntent(root);
}

/** Whether the next start begins, or goes on, to try a new state. */
export function switching(root: string): boolean {
  try {
    const phase = readIntent(root)?.phase;
    return phase === 'clear' || phase === 'fill' || phase === 'trial';
  } catch {
    return false;
  }
}

/** Whether a start tries a new state, and so whether the next one may bring back the state before. */
export function onTrial(root: string): boolean {
  try {
    return readIntent(root)?.phase === 'trial';
  } catch {
    return false;
  }
}

/**
 * A start failed with this error. The next one restores the former state, unless the disk was full: that is no fault of the
 * new state, and the attempt does not count.
 */
export function failAttempt(root: string, error: unknown): void {
  if (isDiskFull(error)) undoAttempt(root);
  else recordFailure(root, textOf(error));
}

/** Best effort: the disk itself may be the problem. */
function undoAttempt(root: string): void {
  try {
    const intent = readIntent(root);
    if (intent?.phase === 'trial' && intent.tries > 0) writeIntent(root, { ...intent, tries: intent.tries - 1 });
  } catch {
    // Then it counts.
  }
}

/** The new state does not get ready: the next `completeSwitch` brings back the one before. `why` is a sentence. */
export function recordFailure(root: string, why: Text): void {
  const intent = readIntent(root);
  if (intent?.phase === 'trial' && intent.failure === null) writeIntent(root, { ...intent, failure: why });
}

/** Throws a sentence when a switch stands in its middle, so that nobody reads half of it. */
export function assertWhole(root: string): void {
  const phase = readIntent(root)?.phase;
  if (phase === undefined || phase === 'trial' || phase === 'returned') return;
  throw new MessageError(message('backup.replacementInterrupted'));
}

/** Moves a state from folder to folder of one file system. What was moved before is moved no more. */
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
