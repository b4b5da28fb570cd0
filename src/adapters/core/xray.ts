import type { Core } from '../../commands/ports/core.js';
import { flowFilter } from './attribution/flows.js';
import { keyCommands } from './config/key-commands.js';
import { addressControl, coreInbounds, coreStats, coreUsers } from './control/live-ports.js';
import { appliedConfigIn } from './process/applied-config.js';
import { SelectedBinary } from './process/binary.js';
import { configCheck, coreBinary } from './process/config-check.js';
import { type CoreFilesOptions, coreFiles } from './process/core-files.js';
import { type Log, XrayProcess } from './process/xray-process.js';

interface XrayOptions extends CoreFilesOptions {
  /** Path of the executable, or null when there is none. */
  readonly binary: string | null;
  readonly log: Log;
}

/** The ports of the core, implemented with a real Xray. */
export function createXrayCore(options: XrayOptions): Core {
  const files = coreFiles(options);
  const binary = new SelectedBinary(options.binary, { runDir: files.paths.runDir, environment: files.environment });
  const [config, flows] = [appliedConfigIn(files.appliedFile), flowFilter(files.paths.runDir)];
  const process = new XrayProcess({ files, binary, config, flows }, options.log);
  const live = { files, binary, config, flows, process };
  return {
    process,
    binary: coreBinary(files, binary),
    config: configCheck(files, binary, () => process.metricsAddress),
    inbounds: coreInbounds(live),
    users: coreUsers(live),
    addresses: addressControl(live),
    stats: coreStats(live),
    keys: keyCommands((args) => binary.current.ask(args)),
  };
}
