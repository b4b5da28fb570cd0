import type { Command } from 'commander';
import { locateCore } from '../adapters/core/locate.js';
import { createXrayCore } from '../adapters/core/xray.js';
import { dataDirectory } from '../adapters/data-directory.js';
import type { Config } from '../config.js';
import { openJournal } from '../journal.js';
import { ReadModels } from '../projections/read-models.js';
import { CliError, printEither } from './output.js';

interface Common {
  readonly dataDir: string;
  readonly json: boolean;
}

/** Where the core of this configuration is. */
export function coreBinary(config: Config): string | null {
  const installed = dataDirectory(config.DATA_DIR).core;
  return locateCore({ configured: config.CORE_BIN, installed, path: config.PATH, cache: config.CACHE });
}

/** `portolan core …`: which binary is used, and whether it takes the configuration of the log. */
export function coreCommands(program: Command, config: () => Config, common: (command: Command) => Common): void {
  const core = program.command('core').description('the proxy core');
  core
    .command('path')
    .description('the executable that is used')
    .action((_options: object, command: Command) => {
      const path = coreBinary(config());
      if (path === null) throw new CliError('There is no core: set PORTOLAN_CORE_BIN, or run npm run setup');
      printEither(common(command).json, { path }, path);
    });
  core
    .command('test')
    .description('ask the core whether it takes what the log asks for')
    .action(async (_options: object, command: Command) => {
      const directory = dataDirectory(config().DATA_DIR);
      const { log } = openJournal(directory, { readonly: true });
      try {
        const desired = new ReadModels(log).desired.config();
        const xray = createXrayCore({
          binary: coreBinary(config()),
          runDir: directory.run,
          logDir: directory.logs,
          assetDir: directory.geo,
          splice: false,
          log: () => undefined,
        });
        await xray.test(desired).catch((error: unknown) => {
          throw new CliError(error instanceof Error ? error.message : String(error));
        });
        printEither(common(command).json, { ok: true }, 'The core takes the configuration');
      } finally {
        log.close();
      }
    });
}
