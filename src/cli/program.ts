import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { type Config, configNames, readConfig, shownConfig, sourceText } from '../config.js';
import { begin, catchUp } from '../events/log/replay.js';
import type { Settings } from '../events/settings/settings.js';
import { failureText } from '../lib/errors/failure-text.js';
import { UsageError } from '../lib/errors/operator-error.js';
import { showWarnings } from '../lib/errors/operator-warning.js';
import { printProblem } from '../lib/errors/print-problem.js';
import { message, type Text } from '../messages/message.js';
import { reportMissingTexts } from '../messages/render.js';
import { cliLanguage, rendererFor, type Say } from '../messages/terminal.js';
import { settings } from '../projections/models/settings.js';
import { openJournal } from '../store/journal.js';
import { version } from '../version.js';
import { accessCommands } from './commands/access.js';
import { adminCommands } from './commands/admin.js';
import { backupCommands } from './commands/backup.js';
import { capsuleCommands } from './commands/capsule.js';
import { clusterCommands } from './commands/cluster/cluster.js';
import { coreCommands } from './commands/core.js';
import { diffCommand } from './commands/diff.js';
import { doctorCommand } from './commands/doctor.js';
import { eventCommands } from './commands/events.js';
import { importCommand } from './commands/import.js';
import { nodeCommands } from './commands/node.js';
import { personalDataCommands } from './commands/personal-data.js';
import { proofCommands } from './commands/proof.js';
import { recountCommand } from './commands/recount.js';
import { settingCommands } from './commands/settings.js';
import { showCommand } from './commands/show.js';
import { undoCommand } from './commands/undo.js';
import { verifyLogCommand } from './commands/verify-log.js';
import { webhookCommands } from './commands/webhook.js';
import { printEither } from './output.js';
import { usageText } from './usage-error.js';

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

/** The program with its global options. The errors of commander are printed by `run`, in the language of the command line. */
function createProgram(say: Say): Command {
  const titles: Readonly<Record<string, string>> = {
    'Usage:': say(message('cli.titleUsage')),
    'Arguments:': say(message('cli.titleArguments')),
    'Options:': say(message('cli.titleOptions')),
    'Commands:': say(message('cli.titleCommands')),
  };
  const program = new Command('portolan').description(say(message('cli.about'))).exitOverride();
  // Commands inherit these when they are created.
  program.configureOutput({ outputError: () => undefined });
  program.configureHelp({ styleTitle: (title) => titles[title] ?? title });
  program.helpOption('-h, --help', say(message('cli.optionHelp')));
  program.helpCommand('help [command]', say(message('cli.helpCommand')));
  program.version(version, '-V, --version', say(message('cli.optionVersion')));
  program.option('--json', say(message('cli.optionJson')), false);
  for (const name of configNames) {
    const variable = `PORTOLAN_${name}`;
    program.option(`--${flagOf(name)} <value>`, say(message('cli.optionAs', { variable })));
  }
  return program;
}

/** Whether the operator asked for details of errors: a stack is shown only then. */
function isDebug(program: Command, env: NodeJS.ProcessEnv): boolean {
  const level = program.opts<{ logLevel?: string }>().logLevel ?? env['PORTOLAN_LOG_LEVEL'];
  return level === 'debug' || level === 'trace';
}

/** Runs the command line. Resolves to the exit code: 0 = success, 1 = failure, 2 = usage error. `serve` runs the panel. */
export async function run(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  serve: (config: Config, say: Say, complain: (text: Text) => void) => Promise<number>,
): Promise<number> {
  let code = 0;
  const say = rendererFor(cliLanguage(env));
  const warn = (text: Text): void => printProblem('warning', text, { json: argv.includes('--json'), say });
  // `serve` replaces this: it writes to its log.
  reportMissingTexts((name, language) => warn(message('cli.textMissing', { name, language })));
  const program = createProgram(say);

  const config = (): Config => {
    const options = program.opts<Record<string, string | undefined>>();
    return readConfig(env, Object.fromEntries(configNames.map((name) => [name, options[camel(flagOf(name))]])));
  };
  const json = () => program.opts<{ json: boolean }>().json;
  const complain = (text: Text, stack?: string): void => printProblem('error', text, { json: json(), say, stack });
  const globals = () => ({ dataDir: config().DATA_DIR, json: json() });

  program
    .command('serve')
    .description(say(message('cli.serve')))
    .action(async () => {
      code = await serve(config(), say, complain);
    });
  const configuration = program.command('config').description(say(message('cli.config')));
  configuration
    .command('show')
    .description(say(message('cli.configShow')))
    .action(() => {
      for (const row of shownConfig(config(), settingsIn(config().DATA_DIR))) {
        const source = row.setting === null ? row.source : `setting ${row.setting}`;
        const shown = row.value ?? say(message('start.secretSet'));
        printEither(
          globals().json,
          { name: row.name, value: row.value ?? '(set)', source },
          `${row.name}=${shown}  (${say(sourceText(row))})`,
        );
      }
    });
  settingCommands(configuration, globals, say);
  eventCommands(program, globals, say);
  diffCommand(program, globals, say);
  showCommand(program, globals, say);
  undoCommand(program, globals, say);
  personalDataCommands(program, globals, say);
  webhookCommands(program, globals, say);
  capsuleCommands(program, globals, say);
  clusterCommands(program, config, json, say);
  proofCommands(program, globals, say);
  verifyLogCommand(program, json, say, () => {
    code = 1;
  });
  recountCommand(program, globals, say);
  adminCommands(program, globals, say);
  accessCommands(program, globals, say);
  backupCommands(program, config, globals, say);
  importCommand(program, config, globals, say);
  coreCommands(program, config, globals, say);
  nodeCommands(program, globals, say);
  doctorCommand(program, config, globals, say);

  const stopShowing = showWarnings(warn);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      if (error.code !== 'commander.help') complain(usageText(error));
      return 2;
    }
    complain(failureText(error), isDebug(program, env) && error instanceof Error ? error.stack : undefined);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    stopShowing();
    reportMissingTexts(() => undefined);
  }
  return code;
}
