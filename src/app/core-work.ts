import { askControl } from '../adapters/control/ask.js';
import { controlSocket } from '../adapters/control/socket-path.js';
import { createXrayCore } from '../adapters/core/xray.js';
import { dataDirectory, prepareDataDirectory } from '../adapters/data-directory/data-directory.js';
import { createCoreVersions } from '../adapters/releases/core-versions.js';
import { createWeb } from '../adapters/web/web.js';
import type { Core } from '../commands/ports/core.js';
import { type CoreVersions, ReleaseError } from '../commands/ports/releases.js';
import type { Web } from '../commands/ports/web.js';
import { CoreInstall } from '../commands/reactors/releases/core-install.js';
import { Rejection } from '../commands/rejection.js';
import type { Config } from '../config.js';
import { alone } from '../control/control.js';
import { OperatorError } from '../lib/operator-error.js';
import { ReadModels } from '../projections/read-models.js';
import { openJournal } from '../store/journal.js';
import { coreBinary } from './core-binary.js';

// What `portolan core` does. It is loaded by who does it: gRPC and a web client take longer to load than most commands to run.

/** A download may take that long, in ms. */
const PATIENCE_MS = 20 * 60_000;

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

const outside = (config: Config): Web => createWeb({ allowPrivate: config.ALLOW_PRIVATE_OUTBOUND });

interface ListedVersion {
  readonly version: string;
  readonly state: 'chosen' | 'installed' | 'released';
}

/** What can be installed and what is; `complain` hears why releases could not be asked for. */
export async function listCores(config: Config, complain: (why: string) => void): Promise<readonly ListedVersion[]> {
  const versions = coreVersions(config, outside(config), Date.now);
  const [installed, chosen] = [versions.installed(), versions.chosen()];
  const released = await versions.available().catch((error: unknown) => {
    if (!(error instanceof ReleaseError)) throw error;
    complain(error.message);
    return [];
  });
  const all = new Set([...released.map((tag) => tag.replace(/^v/, '')), ...installed]);
  return [...all].map((version) => ({
    version,
    state: version === chosen ? 'chosen' : installed.includes(version) ? 'installed' : 'released',
  }));
}

/** Throws `OperatorError` with the core's words when it does not take what the log asks for. */
export async function testCore(config: Config): Promise<void> {
  const { log } = openJournal(dataDirectory(config.DATA_DIR), { readonly: true });
  try {
    const desired = new ReadModels(log).desired.config();
    await idleCore(config)
      .config.test(desired)
      .catch((error: unknown) => {
        throw new OperatorError(error instanceof Error ? error.message : String(error));
      });
  } finally {
    log.close();
  }
}

/** The executable of this configuration, to be asked; nothing is started. */
function idleCore(config: Config): Core {
  const { run, logs, geo } = dataDirectory(config.DATA_DIR);
  const binary = coreBinary(config);
  return createXrayCore({ binary, runDir: run, logDir: logs, assetDir: geo, splice: false, log: () => undefined });
}

/** By the running panel, or else by this process; the core starts with it when the panel does. */
export async function installCore(config: Config, version: string): Promise<string> {
  const { run } = dataDirectory(config.DATA_DIR);
  const answer = await askControl(controlSocket(run), run, { type: 'core.install', data: { version } }, PATIENCE_MS);
  if (answer !== null) {
    if (!answer.ok) throw new OperatorError(answer.error);
    return String(answer.result);
  }
  return alone(prepareDataDirectory(config.DATA_DIR), async ({ dispatch }, log) => {
    const read = new ReadModels(log);
    const install = new CoreInstall({
      core: idleCore(config),
      versions: coreVersions(config, outside(config), Date.now),
      choice: () => read.core().choice,
      wanted: () => false,
      config: () => read.desired.config(),
      dispatch,
      outcome: () => Promise.resolve(null),
      warn: () => undefined,
    });
    install.prepare();
    const done = await install.install(version, dispatch);
    if (done instanceof Rejection) throw new OperatorError(done.message);
    return done;
  });
}
