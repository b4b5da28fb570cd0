import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import { failureText } from '../../lib/errors/failure-text.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { DiffReport } from '../../projections/diff/diff.js';
import { type Noun, nouns } from '../../projections/diff/moment-document.js';
import { diffOfLogs, openBackup } from '../../worker/log-diff.js';
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
export function reportOf(dataDir: string, options: DiffOptions): DiffReport {
  const { from, to, fromBackup, toBackup, client = '' } = options;
  const noun = nounOf(options.noun);
  if (from === undefined && fromBackup === undefined && toBackup === undefined)
    throw new UsageError(message('cli.diffSame'));
  assertNotEmpty('--client', options.client);
  assertNotEmpty('--passphrase-file', options.passphraseFile);
  const passphrase = options.passphraseFile === undefined ? '' : passphraseIn(options.passphraseFile);
  const open = (backup: string | undefined): SqliteEventLog =>
    backup === undefined ? openToRead(dataDir).log : backupLog(backup, passphrase);
  const logs = [open(fromBackup)];
  try {
    const [earlier] = logs as [SqliteEventLog];
    if (fromBackup !== toBackup) logs.push(open(toBackup));
    const later = logs.at(-1) ?? earlier;
    const before = { log: earlier, position: positionAt(earlier, '--from', from) };
    const after = { log: later, position: positionAt(later, '--to', to) };
    const found = diffOfLogs(before, after, { noun, client }, { skip: 0, limit: Number.MAX_SAFE_INTEGER });
    if ('reversed' in found) throw new UsageError(message('MOMENTS_REVERSED', found.reversed));
    return found.report;
  } finally {
    for (const log of logs) log.close();
  }
}

function nounOf(value = ''): Noun | '' {
  const noun = nouns.find((one) => one === value);
  if (noun === undefined && value !== '') throw new UsageError(message('cli.diffNoun', { value, known: nouns }));
  return noun ?? '';
}

/** The log of a backup, which is not changed. Throws `OperatorError` with the reason. */
function backupLog(file: string, passphrase: string): SqliteEventLog {
  try {
    return openBackup(file, passphrase);
  } catch (error) {
    throw new OperatorError(withFile(file, failureText(error)), { cause: error });
  }
}
