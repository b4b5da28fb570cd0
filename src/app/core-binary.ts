import { locateCore } from '../adapters/core/process/locate.js';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import type { Config } from '../config.js';
import type { CorePlace } from '../worker/xui-template.js';

/** The path of the core for this configuration, or null. */
export function coreBinary(config: Config): string | null {
  const installed = dataDirectory(config.DATA_DIR).core;
  return locateCore({ configured: config.CORE_BIN, installed, path: config.PATH, cache: config.CACHE });
}

/** The core and its geo files, for checks in another process. */
export function corePlace(config: Config): CorePlace {
  return { binary: coreBinary(config), geo: dataDirectory(config.DATA_DIR).geo };
}
