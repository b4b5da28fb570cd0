import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { type Config, configNames, readConfig, shownConfig } from '../config.js';
import { begin, catchUp } from '../events/log/replay.js';
import type { Settings } from '../events/settings/settings.js';
import { settings } from '../projections/settings.js';
import { openJournal } from '../store/journal.js';
import { version } from '../version.js';
import { adminCommands } from './admin.js';
import { backupCommands } from './backup.js';
import { coreCommands } from './core.js';
import { doctorCommand } from './doctor.js';
import { eventCommands } from './events.js';
import { importCommand } from './import.js';
import { nodeCommands } from './node.js';
import { printEither } from './output.js';
import { settingCommands } from './settings.js';

/** The settings in the log of a data directory, or null when there is none. */
function settingsIn(dataDir: string): Settings | null {
  const directory = dataDirectory(dataDir);
  if (!existsSync(directory.database)) return null;
  const { log } = openJournal(directory, { readonly: true });
  try {
    const folding = begin(settings);
    catchUp(log, [folding]);
    return folding.state.values;
  } finally {
    log.close();
  }
}

/** `DATA_DIR` → `--data-dir`. */
const flagOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');
const camel = (flag: string): string => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Runs the command line. Resolves to the exit code: 0 = done, 1 = could not be done, 2 = not understood. `serve` resolves
 * when the panel has ended.
 */
export async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  serve: (config: Config) => Promise<number>,
): Promise<number> {
  let code = 0;
  const program = new Command('portolan').description('A proxy panel that no one has to distrust').exitOverride();
  program.version(version);
  program.option('--json', 'one JSON value on each line', false);
  for (const name of configNames) program.option(`--${flagOf(name)} <value>`, `as PORTOLAN_${name}`);

  const config = (): Config => {
    const options = program.opts<Record<string, string | undefined>>();
    return readConfig(env, Object.fromEntries(configNames.map((name) => [name, options[camel(flagOf(name))]])));
  };
  const common = () => ({ dataDir: config().DATA_DIR, json: program.opts<{ json: boolean }>().json });

  program
    .command('serve')
    .description('run the panel')
    .action(async () => {
      code = await serve(config());
    });
  const configuration = program.command('config').description('the configuration');
  configuration
    .command('show')
    .description('each value and where it comes from')
    .action(() => {
      for (const row of shownConfig(config(), settingsIn(config().DATA_DIR)))
        printEither(common().json, row, `${row.name}=${row.value}  (${row.source})`);
    });
  settingCommands(configuration, common);
  eventCommands(program, common);
  adminCommands(program, common);
  backupCommands(program, config, common);
  importCommand(program, config, common);
  coreCommands(program, config, common);
  nodeCommands(program, common);
  doctorCommand(program, config, common);

  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // A sentence for people; the stack is for those who ask for it.
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `portolan: ${env['PORTOLAN_LOG_LEVEL'] === 'debug' && error instanceof Error ? error.stack : message}\n`,
    );
    return 1;
  }
  return code;
}
