import { createXrayCore } from '../adapters/core/xray.js';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { createCoreVersions } from '../adapters/releases/core-versions.js';
import type { Core } from '../commands/ports/core.js';
import type { CoreVersions } from '../commands/ports/releases.js';
import type { Web } from '../commands/ports/web.js';
import type { Config } from '../config.js';
import { coreBinary } from './core-binary.js';

/** The versions of the core that this configuration can use. */
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

/** The core of this configuration for checks of configurations; nothing is started. */
export function idleCore(config: Config): Core {
  const { run, logs, geo } = dataDirectory(config.DATA_DIR);
  const binary = coreBinary(config);
  return createXrayCore({ binary, runDir: run, logDir: logs, assetDir: geo, splice: false, log: () => undefined });
}
