import type { Command } from 'commander';
import { askControl } from '../adapters/control/ask.js';
import { controlSocket } from '../adapters/control/socket-path.js';
import { locateCore } from '../adapters/core/locate.js';
import { createXrayCore } from '../adapters/core/xray.js';
import { dataDirectory, prepareDataDirectory } from '../adapters/data-directory.js';
import { createCoreVersions } from '../adapters/releases/core-versions.js';
import { createWeb } from '../adapters/web/web.js';
import type { Core } from '../commands/ports/core.js';
import { type CoreVersions, ReleaseError } from '../commands/ports/releases.js';
import type { Web } from '../commands/ports/web.js';
import { CoreInstall } from '../commands/reactors/core-install.js';
import { Rejection } from '../commands/rejection.js';
import type { Config } from '../config.js';
import { openJournal } from '../journal.js';
import { ReadModels } from '../projections/read-models.js';
import { alone } from './control.js';
import { CliError, printEither } from './output.js';

/** A download may take that long, in ms. */
const PATIENCE_MS = 20 * 60_000;

interface Common {
  readonly dataDir: string;
  readonly json: boolean;
}

/** Where the core of this configuration is. */
export function coreBinary(config: Config): string | null {
  const installed = dataDirectory(config.DATA_DIR).core;
  return locateCore({ configured: config.CORE_BIN, installed, path: config.PATH, cache: config.CACHE });
}

/** The versions of the core that this configuration can have. */
export function coreVersions(config: Config, web: Web, now: () => number): CoreVersions {
  return createCoreVersions({
    web,
    url: config.CORE_RELEASES_URL,
    folder: dataDirectory(config.DATA_DIR).core,
    fixedBy: config.CORE_BIN === undefined ? null : 'PORTOLAN_CORE_BIN',
    locate: () => coreBinary(config),
    now,
  });
}

/** `portolan core …`: which binary is used, and whether it takes the configuration of the log. */
export function coreCommands(program: Command, config: () => Config, common: (command: Command) => Common): void {
  const core = program.command('core').description('the proxy core');
  const outside = () => createWeb({ allowPrivate: config().ALLOW_PRIVATE_OUTBOUND });
  core
    .command('list')
    .description('the versions that can be installed, and those that are')
    .action(async (_options: object, command: Command) => {
      const versions = coreVersions(config(), outside(), Date.now);
      const [installed, chosen] = [versions.installed(), versions.chosen()];
      const released = await versions.available().catch((error: unknown) => {
        if (!(error instanceof ReleaseError)) throw error;
        process.stderr.write(`portolan: ${error.message}\n`);
        return [];
      });
      const all = new Set([...released.map((tag) => tag.replace(/^v/, '')), ...installed]);
      for (const version of all) {
        const state = version === chosen ? 'chosen' : installed.includes(version) ? 'installed' : 'released';
        printEither(common(command).json, { version, state }, `${version}  ${state}`);
      }
    });
  core
    .command('install')
    .argument('[version]', 'a version like 26.7.28, or latest', 'latest')
    .description('install a version, through the panel if it runs')
    .action(async (wish: string, _options: object, command: Command) => {
      if (!/^(v?\d{1,6}\.\d{1,6}\.\d{1,6}|latest)$/.test(wish))
        throw new CliError('The version must be like 26.7.28, or latest');
      const version = await installCore(config(), outside(), wish);
      printEither(common(command).json, { version }, `The core is version ${version}`);
    });
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
        await idleCore(config())
          .test(desired)
          .catch((error: unknown) => {
            throw new CliError(error instanceof Error ? error.message : String(error));
          });
        printEither(common(command).json, { ok: true }, 'The core takes the configuration');
      } finally {
        log.close();
      }
    });
}

/** The executable of this configuration, to be asked; nothing is started. */
function idleCore(config: Config): Core {
  const { run, logs, geo } = dataDirectory(config.DATA_DIR);
  const binary = coreBinary(config);
  return createXrayCore({ binary, runDir: run, logDir: logs, assetDir: geo, splice: false, log: () => undefined });
}

/** By the running panel, or else by this process; the core starts with it when the panel does. */
async function installCore(config: Config, web: Web, version: string): Promise<string> {
  const { run } = dataDirectory(config.DATA_DIR);
  const answer = await askControl(controlSocket(run), run, { type: 'core.install', data: { version } }, PATIENCE_MS);
  if (answer !== null) {
    if (!answer.ok) throw new CliError(answer.error);
    return String(answer.result);
  }
  return alone(prepareDataDirectory(config.DATA_DIR), async ({ dispatch }, log) => {
    const read = new ReadModels(log);
    const install = new CoreInstall({
      core: idleCore(config),
      versions: coreVersions(config, web, Date.now),
      choice: () => read.core().choice,
      wanted: () => false,
      config: () => read.desired.config(),
      dispatch,
      outcome: () => Promise.resolve(null),
      warn: () => undefined,
    });
    install.prepare();
    const done = await install.install(version, dispatch);
    if (done instanceof Rejection) throw new CliError(done.message);
    return done;
  });
}
