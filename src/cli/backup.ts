import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { corePlace } from '../app/core-binary.js';
import type { Config } from '../config.js';
import { OperatorError } from '../lib/operator-error.js';
import { printEither } from './output.js';
import type { Common } from './reading.js';

/** `portolan backup` and `portolan restore`: by the running panel, or without one. */
export function backupCommands(program: Command, config: () => Config, common: (command: Command) => Common): void {
  program
    .command('backup')
    .description('write a consistent copy of everything, with the key to read it')
    .option('-o, --out <file>', 'where to; by default a file in this folder whose name says what it is')
    .action(async (options: { out?: string }, command: Command) => {
      const { dataDir, json } = common(command);
      if (options.out !== undefined) assertFree(resolve(options.out));
      const { createBackup, moveFile } = await import('./restore.js');
      const made = await createBackup(dataDirectory(dataDir));
      const target = resolve(options.out ?? made.name);
      try {
        assertFree(target);
        await moveFile(made.path, target);
      } finally {
        rmSync(made.path, { force: true });
      }
      const { bytes, position, sealed } = made;
      const key = sealed ? 'its key is wrapped by the passphrase' : 'its key lies in it: keep it as safe as the panel';
      printEither(json, { file: target, bytes, position, sealed }, `${target}: position ${position}; ${key}`);
    });

  program
    .command('restore')
    .argument('<file>', 'a backup')
    .description('make the state of a backup the one of this data directory')
    .option('-y, --yes', 'replace the state that is there; it is put aside in backups/')
    .option('--passphrase-file <file>', 'the passphrase of a sealed backup')
    .action(async (file: string, options: { yes?: boolean; passphraseFile?: string }, command: Command) => {
      const { dataDir, json } = common(command);
      const { restoreState, secretIn } = await import('./restore.js');
      const passphrase = options.passphraseFile === undefined ? '' : secretIn(options.passphraseFile);
      const asked = { file: resolve(file), passphrase, yes: options.yes === true };
      const { done, running } = await restoreState(dataDir, asked, corePlace(config()));
      const next = running ? 'The panel starts anew with it' : 'Start the panel to serve it';
      const kept = done.kept.map(({ key, why }) => `\n  ${key} stays as it is here. ${why}`).join('');
      printEither(json, done, `The state of ${file} is in place, up to position ${done.position}. ${next}.${kept}`);
    });
}

/** Throws `OperatorError` for a place where no new file can be. */
function assertFree(file: string): void {
  const folder = dirname(file);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new OperatorError(`There is no folder ${folder}`);
  if (existsSync(file)) throw new OperatorError(`${file} is there already`);
}
