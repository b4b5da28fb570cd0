import { openUntrusted } from '../../adapters/backup/untrusted.js';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import { failureText } from '../../lib/errors/failure-text.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { atOnce } from '../../lib/time/slices.js';
import { message } from '../../messages/message.js';
import { diffSteps } from '../../projections/diff/diff.js';
import { type Noun, nouns } from '../../projections/diff/documents.js';
import { readModelsAt } from '../../projections/moments.js';
import { readBackup } from '../../worker/backup-reader.js';
import { assertNotEmpty, positionAt } from '../option-values.js';
import { openToRead } from '../reading.js';
import { passphraseIn, withFile } from './restore.js';

export interface DiffOptions {
  readonly from?: string;
  readonly to?: string;
  readonly fromBackup?: string;
  readonly toBackup?: string;
  readonly passphraseFile?: string;
  readonly noun?: string;
  readonly client?: string;
}

/** Compares the two moments. Throws `OperatorError` for a log or backup that cannot be read, `UsageError` for options. */
export function reportOf(dataDir: string, options: DiffOptions) {
  const { from, to, fromBackup, toBackup, client = '' } = options;
  const noun = nounOf(options.noun);
  if (from === undefined && fromBackup === undefined && toBackup === undefined)
    throw new UsageError(message('cli.diffSame'));
  assertNotEmpty('--client', options.client);
  assertNotEmpty('--passphrase-file', options.passphraseFile);
  const passphrase = options.passphraseFile === undefined ? '' : passphraseIn(options.passphraseFile);
  const open = (backup: string | undefined): SqliteEventLog =>
    backup === undefined ? openToRead(dataDir).log : openBackup(backup, passphrase);
  const logs = [open(fromBackup)];
  try {
    const [earlierLog] = logs as [SqliteEventLog];
    if (fromBackup !== toBackup) logs.push(open(toBackup));
    const laterLog = logs.at(-1) ?? earlierLog;
    const earlier = sideAt(earlierLog, positionAt(earlierLog, '--from', from), laterLog);
    const later = sideAt(laterLog, positionAt(laterLog, '--to', to), earlierLog);
    const { position } = earlier;
    // The later log tells what happened in between if it begins with the earlier one.
    const continues = position === 0 || laterLog.hashAt(position) === earlierLog.hashAt(position);
    if (continues && position > later.position)
      throw new UsageError(message('MOMENTS_REVERSED', { from: position, to: later.position }));
    const part = { skip: 0, limit: Number.MAX_SAFE_INTEGER };
    return atOnce(diffSteps(earlier, later, { noun, client }, { part, search: continues ? laterLog.search : null }));
  } finally {
    for (const log of logs) log.close();
  }
}

function nounOf(value = ''): Noun | '' {
  const noun = nouns.find((one) => one === value);
  if (noun === undefined && value !== '') throw new UsageError(message('cli.diffNoun', { value, known: nouns }));
  return noun ?? '';
}

/** A log after the event at a position; 0 = a new panel. What `other` has erased is erased here too. */
function sideAt(log: SqliteEventLog, position: number, other: SqliteEventLog) {
  const at = log.search.header(position)?.meta.at ?? 0;
  const destroyed = new Set<string>();
  for (const event of log === other ? [] : other.stored.ofTypes(['DataKeyDestroyed']))
    if (event.type === 'DataKeyDestroyed') destroyed.add(event.data.key);
  return { position, at, read: readModelsAt(log, position), destroyed };
}

/** The log of a backup, which is not changed. Throws `OperatorError` with the reason. */
function openBackup(file: string, passphrase: string): SqliteEventLog {
  try {
    const db = openUntrusted(file);
    try {
      return readBackup(db, passphrase).log;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw new OperatorError(withFile(file, failureText(error)), { cause: error });
  }
}
