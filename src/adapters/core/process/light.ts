import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CoreConfig, CoreError } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { logFiles } from '../config/assembly.js';
import { type CoreApi, connectApi } from '../control/grpc.js';
import { answers } from './answers.js';
import { startError } from './blame.js';
import { empty, formerOf, makeFolder, removeUnlessPlain, retire, writeAtomically } from './files.js';
import { unstartable } from './missing.js';
import type { OutputWatch } from './output.js';
import type { Place } from './place.js';
import { asItIsNow, end } from './proc.js';
import { complaints, type Ending, launch, type Started } from './process.js';

/** A core that was started and answers. */
export interface Lit {
  readonly started: Started;
  readonly api: CoreApi;
}

interface Hearth {
  readonly place: Place;
  /** Of the executable. */
  readonly path: string;
  readonly version: string;
  readonly output: OutputWatch;
}

/**
 * Starts a core in a place where none runs. `assembled`: `config` in the core's words. Resolves when it answers; leaves
 * nothing when it rejects, with `CoreError`.
 */
export async function light(
  { place, path, version, output }: Hearth,
  config: CoreConfig,
  assembled: JsonObject,
): Promise<Lit> {
  const { paths, configFile, outputFile, pidFile, environment } = place;
  const { runDir, logDir } = paths;
  for (const folder of [runDir, logDir, dirname(paths.socket)]) makeFolder(folder);
  const files = logFiles(config.template, paths);
  for (const file of [files.access, files.error]) removeUnlessPlain(file);
  // Ports and addresses in them belong to connections of the run before.
  if (files.accessKept) retire(files.access);
  else rmSync(formerOf(files.access), { recursive: true, force: true });
  for (const file of [files.access, paths.trace]) empty(file);
  writeAtomically(configFile, assembled);
  const failure = (ending: Ending): CoreError => startError(complaints(outputFile), ending, config.inbounds);
  const where = { configFile, outputFile, pidFile, runDir, environment };
  const started = await launch({ binary: path, run: randomUUID(), version, ...where, failure });
  if (started === null) throw unstartable(path);
  output.start();
  const api = connectApi(paths.socket);
  try {
    await answers(api, started, failure);
    // The core has read it. What a later panel asks of it is where the metrics are; accounts in it would outlive their keys.
    writeAtomically(configFile, { metrics: assembled['metrics'] ?? null });
  } catch (error) {
    await douse({ place, output }, { started, api });
    throw error;
  }
  return { started, api };
}

/** Ends a core that was started here, and takes away what it was started with. */
export async function douse({ place, output }: Pick<Hearth, 'place' | 'output'>, { started, api }: Lit): Promise<void> {
  api.close();
  await end(asItIsNow(started.core));
  output.stop();
  rmSync(place.pidFile, { force: true });
  rmSync(place.configFile, { force: true });
}
