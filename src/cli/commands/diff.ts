import type { Command } from 'commander';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { inEnglish, print } from '../output.js';
import type { GlobalOptions } from '../reading.js';
import type { DiffOptions } from './diff-report.js';

/** `portolan diff`: what differs between two moments of the log, or of backups. It only reads. */
export function diffCommand(program: Command, globals: () => GlobalOptions, say: Say): void {
  program
    .command('diff')
    .description(say(message('cli.diff')))
    .option('--from <position|time>', say(message('cli.optionDiffFrom')))
    .option('--to <position|time>', say(message('cli.optionDiffTo')))
    .option('--from-backup <file>', say(message('cli.optionDiffFromBackup')))
    .option('--to-backup <file>', say(message('cli.optionDiffToBackup')))
    .option('--passphrase-file <file>', say(message('cli.optionPassphraseFile')))
    .option('--noun <noun>', say(message('cli.optionDiffNoun')))
    .option('--client <email>', say(message('cli.optionDiffClient')))
    .action(async (options: DiffOptions) => {
      const { dataDir, json } = globals();
      const { reportOf } = await import('./diff-report.js');
      const { diffLines } = await import('../../projections/diff/diff-text.js');
      const report = reportOf(dataDir, options);
      const { skipped: _, ...shown } = report;
      print(json ? JSON.stringify(inEnglish(shown)) : diffLines(report, say).join('\n'));
    });
}
