import { rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { assertWritable, isPresent } from '../../adapters/data-directory/data-directory.js';
import { corePlace } from '../../app/core-binary.js';
import type { Config } from '../../config.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { assertNotEmpty } from '../option-values.js';
import { inEnglish, printEither } from '../output.js';
import type { GlobalOptions } from '../reading.js';

/** `portolan backup` and `portolan restore`: through the running panel, or without one. */
export function backupCommands(program: Command, config: () => Config, globals: () => GlobalOptions, say: Say): void {
  program
    .command('backup')
    .description(say(message('cli.backup')))
    .option('-o, --out <file>', say(message('cli.optionOut')))
    .action(async (options: { out?: string }) => {
      const { dataDir, json } = globals();
      assertNotEmpty('--out', options.out);
      if (options.out === undefined) assertWritable(process.cwd());
      else assertCreatable(resolve(options.out));
      const { createBackup, moveFile } = await import('./restore.js');
      const made = await createBackup(dataDir);
      const target = resolve(options.out ?? made.name);
      try {
        assertCreatable(target);
        await moveFile(made.path, target);
      } finally {
        rmSync(made.path, { force: true });
      }
      const { bytes, position, sealed } = made;
      const key = message(sealed ? 'cli.keySealed' : 'cli.keyInside');
      const text = message('cli.backupWritten', { file: target, position, key });
      printEither(json, { file: target, bytes, position, sealed }, say(text));
    });

  program
    .command('restore')
    .argument('<file>', say(message('cli.argumentBackup')))
    .description(say(message('cli.restore')))
    .option('-y, --yes', say(message('cli.optionYes')))
    .option('--passphrase-file <file>', say(message('cli.optionPassphraseFile')))
    .action(async (file: string, options: { yes?: boolean; passphraseFile?: string }) => {
      const { dataDir, json } = globals();
      assertNotEmpty('--passphrase-file', options.passphraseFile);
      const { keptTexts, passphraseIn, restoreState } = await import('./restore.js');
      const passphrase = options.passphraseFile === undefined ? '' : passphraseIn(options.passphraseFile);
      const request = { file: resolve(file), passphrase, yes: options.yes === true };
      const { done, running } = await restoreState(dataDir, request, corePlace(config()));
      const next = message(running ? 'cli.nextRunning' : 'cli.nextStart');
      const text = say(message('cli.restored', { file, position: done.position, next }));
      printEither(json, inEnglish(done), `${text}${keptTexts(done, say)}`);
    });
}

/** Throws `MessageError` for a path where no new file can be created. */
function assertCreatable(file: string): void {
  const folder = dirname(file);
  if (!isPresent(folder)) throw new OperatorError(message('cli.noFolder', { folder }));
  assertWritable(folder);
  if (!isPresent(file)) return;
  const isFolder = statSync(file).isDirectory();
  throw new OperatorError(isFolder ? message('file.isFolder', { path: file }) : message('cli.fileExists', { file }));
}
