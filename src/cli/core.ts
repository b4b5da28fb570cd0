import type { Command } from 'commander';
import { coreBinary } from '../app/core-binary.js';
import type { Config } from '../config.js';
import { OperatorError } from '../lib/operator-error.js';
import { printEither } from './output.js';
import type { Common } from './reading.js';

/** `portolan core …`: which binary is used, and whether it takes the configuration of the log. */
export function coreCommands(program: Command, config: () => Config, common: (command: Command) => Common): void {
  const core = program.command('core').description('the proxy core');
  const work = () => import('./core-tasks.js');
  core
    .command('list')
    .description('the versions that can be installed, and those that are')
    .action(async (_options: object, command: Command) => {
      const { listCores } = await work();
      const complain = (why: string) => process.stderr.write(`portolan: ${why}\n`);
      for (const row of await listCores(config(), complain))
        printEither(common(command).json, row, `${row.version}  ${row.state}`);
    });
  core
    .command('install')
    .argument('[version]', 'a version like 26.7.28, or latest', 'latest')
    .description('install a version, through the panel if it runs')
    .action(async (wish: string, _options: object, command: Command) => {
      if (!/^(v?\d{1,6}\.\d{1,6}\.\d{1,6}|latest)$/.test(wish))
        throw new OperatorError('The version must be like 26.7.28, or latest');
      const { installCore } = await work();
      const version = await installCore(config(), wish);
      printEither(common(command).json, { version }, `The core is version ${version}`);
    });
  core
    .command('path')
    .description('the executable that is used')
    .action((_options: object, command: Command) => {
      const path = coreBinary(config());
      if (path === null) throw new OperatorError('There is no core: set PORTOLAN_CORE_BIN, or run npm run setup');
      printEither(common(command).json, { path }, path);
    });
  core
    .command('test')
    .description('ask the core whether it takes what the log asks for')
    .action(async (_options: object, command: Command) => {
      const { testCore } = await work();
      await testCore(config());
      printEither(common(command).json, { ok: true }, 'The core takes the configuration');
    });
}
