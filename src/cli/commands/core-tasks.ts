import { askControl } from '../../adapters/control/ask.js';
import { controlSocket } from '../../adapters/control/socket-path.js';
import { dataDirectory, prepareDataDirectory } from '../../adapters/data-directory/data-directory.js';
import { createWeb } from '../../adapters/web/web.js';
import { coreVersions, idleCore } from '../../app/core.js';
import { ReleaseError } from '../../commands/ports/releases.js';
import type { Web } from '../../commands/ports/web.js';
import { CoreInstall } from '../../commands/reactors/releases/core-install.js';
import { Rejection } from '../../commands/rejection.js';
import type { Config } from '../../config.js';
import { withExclusiveLock } from '../../control/control.js';
import { failureText } from '../../lib/errors/failure-text.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { textOf } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';
import { LogReadModels } from '../../projections/read-models.js';
import { reading } from '../reading.js';

// The work of `portolan core`. It is imported when needed: loading gRPC and a web client takes longer than most commands run.

/** How long a download may take, in ms. */
const INSTALL_TIMEOUT_MS = 20 * 60_000;

const outside = (config: Config): Web => createWeb({ allowPrivate: config.ALLOW_PRIVATE_OUTBOUND });

interface ListedVersion {
  readonly version: string;
  readonly state: 'chosen' | 'installed' | 'released';
}

/** The released and the installed versions. `complain` is called with the reason when the releases could not be listed. */
export async function listCores(config: Config, complain: (why: Text) => void): Promise<readonly ListedVersion[]> {
  const versions = coreVersions(config, outside(config), Date.now);
  const [installed, chosen] = [versions.installed(), versions.chosen()];
  const released = await versions.available().catch((error: unknown) => {
    if (!(error instanceof ReleaseError)) throw error;
    complain(textOf(error));
    return [];
  });
  const all = new Set([...released.map((tag) => tag.replace(/^v/, '')), ...installed]);
  return [...all].map((version) => ({
    version,
    state: version === chosen ? 'chosen' : installed.includes(version) ? 'installed' : 'released',
  }));
}

/** Throws `OperatorError` with the core's message when it rejects the configuration of the log. */
export async function testCore(config: Config): Promise<void> {
  await reading(config.DATA_DIR, ({ log }) =>
    idleCore(config)
      .config.test(new LogReadModels(log).desired.config())
      .catch((error: unknown) => {
        throw new OperatorError(failureText(error), { cause: error });
      }),
  );
}

/** Installs a version through the running panel, or in this process when none runs; the core uses it at its next start. */
export async function installCore(config: Config, version: string): Promise<string> {
  const { run } = dataDirectory(config.DATA_DIR);
  const answer = await askControl(
    controlSocket(run),
    run,
    { type: 'core.install', data: { version } },
    INSTALL_TIMEOUT_MS,
  );
  if (answer !== null) {
    if (!answer.ok) throw new OperatorError(answer.error);
    return String(answer.result);
  }
  return withExclusiveLock(prepareDataDirectory(config.DATA_DIR), async ({ dispatch }, log) => {
    const read = new LogReadModels(log);
    const install = new CoreInstall({
      core: idleCore(config),
      versions: coreVersions(config, outside(config), Date.now),
      choice: () => read.records.core().choice,
      wanted: () => false,
      config: () => read.desired.config(),
      dispatch,
      outcome: () => Promise.resolve(null),
      warn: () => undefined,
    });
    install.prepare();
    const done = await install.install(version, dispatch);
    if (done instanceof Rejection) throw new OperatorError(done.text);
    return done;
  });
}
