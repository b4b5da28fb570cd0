import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CoreBinary, CoreConfig, CoreConfigCheck } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { assemble } from '../config/assembly.js';
import { ignoredSettings } from '../config/ignored-settings.js';
import { assembleInbound, checkSocketFolder } from '../config/inbound.js';
import type { Binary, SelectedBinary } from './binary.js';
import type { CoreFiles } from './core-files.js';

/** `metrics`: `host:port` of the metrics of the running core, or null. */
export function configCheck(
  { paths, dataDir }: CoreFiles,
  selected: SelectedBinary,
  metrics: () => string | null,
): CoreConfigCheck {
  return {
    test: (config) => testWith(config, paths, selected.current),
    testTemplate: async (config) => {
      const binary = selected.current;
      await testWith(config, paths, binary);
      // The ports of the inbounds are in use, and a second end of a reverse proxy would take connections of the first.
      const { reverse: _reverse, ...rest } = harmless(assemble({ ...config, inbounds: new Map() }, paths));
      await binary.boot(rest);
    },
    testInbound: async (inbound) => {
      checkSocketFolder(inbound);
      await selected.current.testInbounds({ inbounds: [assembleInbound(inbound, dataDir)] });
    },
    assemble: (config) => assemble(config, { ...paths, metrics: metrics() }, 'people'),
    ignoredSettings,
  };
}

export function coreBinary({ paths }: CoreFiles, selected: SelectedBinary): CoreBinary {
  return {
    version: () => selected.current.version(),
    use: (path) => selected.use(path),
    trial: async (path, config) => {
      const binary = selected.at(path);
      const version = await binary.version();
      if (version !== null) await testWith(config, paths, binary);
      return version;
    },
  };
}

export async function testAssembled(assembled: JsonObject, binary: Binary): Promise<void> {
  await nextTurn();
  await binary.test(harmless(assembled));
}

async function testWith(config: CoreConfig, paths: CoreFiles['paths'], binary: Binary): Promise<void> {
  // Callers often assembled the same configuration just now: thousands of clients are not processed twice in one turn.
  await nextTurn();
  await testAssembled(assemble(config, paths), binary);
}

/** A configuration without the parts that listen or write files for the panel, so that it can be tested beside a running core. */
function harmless({ api: _api, log: _log, metrics: _metrics, ...rest }: JsonObject): JsonObject {
  return { ...rest, log: { loglevel: 'warning', access: 'none' } };
}
