import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CoreConfig, CoreError } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { logFiles } from '../config/assembly.js';
import { type CoreApi, connectApi } from '../control/grpc.js';
import { binaryUnusable } from './binary-errors.js';
import type { CoreFiles } from './core-files.js';
import { empty, makeFolder, previousOf, removeUnlessPlain, retire, writeAtomically } from './files.js';
import type { OutputLimiter } from './output-limit.js';
import { refreshed, terminate } from './proc.js';
import { complaints, type Ending, type Started, spawnCore } from './process.js';
import { waitUntilReady } from './responds.js';
import { startError } from './start-error.js';

/** A core that was started and answers. */
export interface LaunchedCore {
  readonly started: Started;
  readonly api: CoreApi;
}

interface LaunchContext {
  readonly files: CoreFiles;
  readonly executable: { readonly path: string; readonly version: string };
  readonly outputLimit: OutputLimiter;
}

/**
 * Starts a core; none may run with these files. `assembled`: `config` in the core's format. Resolves when the core
 * answers. Rejects with `CoreError`, and then leaves nothing behind.
 */
export async function launchCore(
  { files, executable, outputLimit }: LaunchContext,
  config: CoreConfig,
  assembled: JsonObject,
): Promise<LaunchedCore> {
  const { paths, configFile, outputFile, pidFile, environment } = files;
  const { runDir, logDir } = paths;
  for (const folder of [runDir, logDir, dirname(paths.socket)]) makeFolder(folder);
  const logs = logFiles(config.template, paths);
  for (const file of [logs.access, logs.error]) removeUnlessPlain(file);
  // Ports and addresses in them belong to connections of the previous run.
  if (logs.accessKept) retire(logs.access);
  else rmSync(previousOf(logs.access), { recursive: true, force: true });
  for (const file of [logs.access, paths.trace]) empty(file);
  writeAtomically(configFile, assembled);
  const failure = (ending: Ending): CoreError => startError(complaints(outputFile), ending, config.inbounds);
  const where = { configFile, outputFile, pidFile, runDir, environment };
  const started = await spawnCore({
    binary: executable.path,
    version: executable.version,
    run: randomUUID(),
    ...where,
    failure,
  });
  if (started === null) throw binaryUnusable(executable.path);
  outputLimit.start();
  const api = connectApi(paths.socket);
  try {
    await waitUntilReady(api, started, failure);
    // The core has read it. A later panel needs only the address of the metrics; accounts in it would outlive their keys.
    writeAtomically(configFile, { metrics: assembled['metrics'] ?? null });
  } catch (error) {
    await teardown(files, outputLimit, { started, api });
    throw error;
  }
  return { started, api };
}

/** Ends a core that was launched here, and removes its configuration and pid file. */
export async function teardown(
  files: CoreFiles,
  outputLimit: OutputLimiter,
  { started, api }: LaunchedCore,
): Promise<void> {
  api.close();
  await terminate(refreshed(started.core));
  outputLimit.stop();
  rmSync(files.pidFile, { force: true });
  rmSync(files.configFile, { force: true });
}
