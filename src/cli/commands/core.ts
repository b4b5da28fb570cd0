import type { Command } from 'commander';
import { coreBinary } from '../../app/core-binary.js';
import type { Config } from '../../config.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { warnOperator } from '../../lib/errors/operator-warning.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { printEither } from '../output.js';
import type { GlobalOptions } from '../reading.js';

const states = {
  chosen: 'cli.stateChosen',
  installed: 'cli.stateInstalled',
  released: 'cli.stateReleased',
} as const;

/** `portolan core …`: the versions of the core, the executable in use, a test of the configuration. */
export function coreCommands(program: Command, config: () => Config, globals: () => GlobalOptions, say: Say): void {
  const core = program.command('core').description(say(message('cli.core')));
  const work = () => import('./core-tasks.js');
  core
    .command('list')
    .description(say(message('cli.coreList')))
    .action(async () => {
      const { listCores } = await work();
      for (const row of await listCores(config(), warnOperator))
        printEither(globals().json, row, `${row.version}  ${say(message(states[row.state]))}`);
    });
  core
    .command('install')
    .argument('[version]', say(message('cli.argumentVersion')), 'latest')
    .description(say(message('cli.coreInstall')))
    .action(async (wanted: string) => {
      if (!/^(v?\d{1,6}\.\d{1,6}\.\d{1,6}|latest)$/.test(wanted))
        throw new UsageError(message('cli.versionInvalid', { version: wanted }));
      const { installCore } = await work();
      const version = await installCore(config(), wanted);
      printEither(globals().json, { version }, say(message('cli.coreInstalled', { version })));
    });
  core
    .command('path')
    .description(say(message('cli.corePath')))
    .action(() => {
      const path = coreBinary(config());
      const { CORE_BIN: configured } = config();
      if (path === null && configured !== undefined)
        throw new OperatorError(message('cli.coreBinInvalid', { path: configured }));
      if (path === null) throw new OperatorError(message('cli.noCore'));
      printEither(globals().json, { path }, path);
    });
  core
    .command('test')
    .description(say(message('cli.coreTest')))
    .action(async () => {
      const { testCore } = await work();
      await testCore(config());
      printEither(globals().json, { ok: true }, say(message('cli.coreAccepts')));
    });
}
