import { constants, existsSync, rmSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { askControl } from '../../adapters/control/ask.js';
import { controlSocket } from '../../adapters/control/socket-path.js';
import {
  type DataDirectory,
  dataDirectory,
  existingDataDirectory,
  prepareDataDirectory,
} from '../../adapters/data-directory/data-directory.js';
import { readSecret } from '../../adapters/data-directory/secret-file.js';
import { lockDirectory } from '../../adapters/sqlite/lock.js';
import { asSystem } from '../../commands/bus.js';
import type { BackupFile, Replacement } from '../../commands/ports/backups.js';
import { begin, catchUp } from '../../events/log/replay.js';
import type { Settings } from '../../events/settings/settings.js';
import { failureText, fileProblem } from '../../lib/errors/failure-text.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { codeOf, message, type Text } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { settings } from '../../projections/models/settings.js';
import { backupName, privateCopy, unfinishedFile } from '../../store/backup-files.js';
import { completeSwitch, stage, switchTo } from '../../store/generations.js';
import { openJournal } from '../../store/journal.js';
import { version } from '../../version.js';
import { childWork } from '../../worker/backup-jobs.js';
import type { CorePlace } from '../../worker/xui-template.js';

/** A full verification of a large log takes minutes. In ms. */
const TIMEOUT_MS = 3_600_000;

/**
 * Replaces the state of a data directory by that of a file: through the running panel, or in this process under the lock.
 * Throws `OperatorError` with the reason; then nothing has changed.
 */
export async function restoreState(
  dataDir: string,
  { file, passphrase, yes }: { readonly file: string; readonly passphrase: string; readonly yes: boolean },
  core: CorePlace,
): Promise<{ readonly done: Replacement; readonly running: boolean }> {
  const directory = dataDirectory(dataDir);
  if (existsSync(directory.database) && !yes) throw new OperatorError(message('cli.stateExists', { folder: dataDir }));
  const request = { type: 'state.replace', data: { file, passphrase } };
  const answer = await askControl(controlSocket(directory.run), directory.run, request, TIMEOUT_MS);
  if (answer === null) return { done: await restoreAlone(dataDir, file, passphrase, core), running: false };
  if (!answer.ok) throw new OperatorError(withFile(file, answer.error));
  return { done: answer.result as Replacement, running: true };
}

async function restoreAlone(dataDir: string, file: string, passphrase: string, core: CorePlace): Promise<Replacement> {
  const directory = prepareDataDirectory(dataDir);
  const lock = lockDirectory(directory.lock);
  try {
    completeSwitch(directory);
    const copy = await privateCopy(file, directory);
    const staged = stage(directory);
    try {
      const done = await childWork({ lowPriority: false }).stage({
        file: copy.path,
        passphrase,
        root: staged.directory.root,
        requestedBy: asSystem('cli').actor,
        now: Date.now(),
        host: settingsOf(directory),
        core,
      });
      switchTo(directory, staged, message('backup.replacedByFile', { file, sha256: done.sha256 }));
      completeSwitch(directory);
      return done;
    } finally {
      staged.discard();
      copy.remove();
    }
  } catch (error) {
    throw new OperatorError(withFile(file, failureText(error)), { cause: error });
  } finally {
    lock.release();
  }
}

/** The settings of the current state. Null: there is no state, or it cannot be read, which is why it is replaced. */
function settingsOf(directory: DataDirectory): Settings | null {
  if (!existsSync(directory.database)) return null;
  try {
    return readSettings(directory).values;
  } catch {
    return null;
  }
}

function readSettings(directory: DataDirectory) {
  const { log, snapshots } = openJournal(directory, { readonly: true });
  try {
    const folding = begin(settings, snapshots);
    catchUp(log, [folding]);
    return folding.state;
  } finally {
    log.close();
  }
}

/** Makes a backup in a private folder: through the running panel, or in this process when none runs. Throws `MessageError`. */
export async function createBackup(
  dataDir: string,
): Promise<Pick<BackupFile, 'path' | 'name' | 'bytes' | 'position' | 'sealed'>> {
  const directory = existingDataDirectory(dataDir);
  const request = { type: 'backup.create', data: {} };
  const answer = await askControl(controlSocket(directory.run), directory.run, request, TIMEOUT_MS);
  if (answer?.ok === false) throw new OperatorError(answer.error);
  if (answer) return answer.result as BackupFile;
  const path = unfinishedFile(directory);
  const now = Date.now();
  const passphrase = readSettings(directory).secrets.backupPassphrase;
  const copied = await childWork({ lowPriority: false }).copy({
    root: directory.root,
    file: path,
    passphrase,
    release: version,
    now,
  });
  return { path, name: backupName(now, copied.position, copied.sealed), ...copied };
}

/** With the name of the file for the texts about backups and databases, which do not have it: “It is not …”. */
export function withFile(file: string, why: Text): Text {
  return codeOf(why)?.startsWith('backup.') ? message('cli.fileProblem', { file, why }) : why;
}

/** Moves a file, to another file system as well. Throws `OperatorError`, and then there is no file at `to`. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw unwritable(error, to);
    await copyFile(from, to, constants.COPYFILE_EXCL).catch((failure: unknown) => {
      if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(to, { force: true });
      throw unwritable(failure, to);
    });
  } finally {
    rmSync(from, { force: true });
  }
}

function unwritable(cause: unknown, path: string): OperatorError {
  return new OperatorError(fileProblem(cause, path) ?? failureText(cause), { cause });
}

/** The passphrase in a file of the operator, without a line break at its end. */
export function passphraseIn(file: string): string {
  return readSecret(file).replace(/\r?\n$/, '');
}

/** The settings that keep the values of this machine, one line each, with a line break before each. */
export function keptTexts({ kept }: Pick<Replacement, 'kept'>, say: Say): string {
  return kept.map(({ key, why }) => `\n  ${say(message('cli.settingKept', { key, why }))}`).join('');
}
