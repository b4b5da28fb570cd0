import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import type { CoreError } from '../../../commands/ports/core.js';
import { isObject } from '../../../lib/json.js';
import { message, type Text, verbatim } from '../../../messages/message.js';
import { lastWords } from '../control/grpc.js';
import { empty, readJson, writeAtomically } from './files.js';
import { type Identity, identify, isAlive, killGroup, processesRunning, terminate } from './proc.js';

/** A core process that may be older than this panel process. */
export interface RunningCore extends Identity {
  readonly run: string;
  readonly version: string;
}

/** How a process ended; both null when it was not our child. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface SpawnOptions {
  readonly binary: string;
  readonly run: string;
  readonly version: string;
  readonly configFile: string;
  readonly outputFile: string;
  readonly pidFile: string;
  readonly runDir: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Why the process ended before it could be examined. */
  readonly failure: (ending: Ending) => CoreError;
}

export interface Started {
  readonly core: RunningCore;
  readonly ended: Promise<Ending>;
}

/**
 * Starts a core in its own process group with its output in a file, so that it survives signals to the panel and the end of
 * the panel. Null when it could not be started; rejects with `CoreError` when it ended at once.
 */
export async function spawnCore(options: SpawnOptions): Promise<Started | null> {
  empty(options.outputFile);
  const output = openSync(options.outputFile, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(options.binary, ['run', '-format', 'json', '-c', options.configFile], {
      cwd: options.runDir,
      detached: true,
      env: options.environment,
      stdio: ['ignore', output, output],
    });
  } finally {
    closeSync(output);
  }
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => {
      // Other processes that a script started in its group would keep printing into the file.
      killGroup(child.pid);
      resolve({ code, signal });
    });
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  // No await before this: if the panel is killed here, no core may run without a pid file.
  const identity = child.pid === undefined ? null : identify(child.pid);
  if (identity === null) {
    const ending = await ended;
    if (child.pid === undefined) return null;
    throw options.failure(ending);
  }
  child.unref();
  const core = { ...identity, run: options.run, version: options.version };
  writeAtomically(options.pidFile, core);
  return { core, ended };
}

/** The core that the pid file names, if it still runs. Any other process with our configuration is killed. */
export async function findCore(pidFile: string, configFile: string): Promise<RunningCore | null> {
  const read = readJson(pidFile);
  const core = isRunningCore(read) && isAlive(read) ? read : null;
  await Promise.all(
    processesRunning(configFile)
      .filter(({ pid }) => pid !== core?.pid)
      .map((stray) => terminate(stray)),
  );
  if (core === null) rmSync(pidFile, { force: true });
  return core;
}

/** Resolves when a process that is not our child is gone. The timer does not keep the panel alive. */
export function watch(identity: Identity, interval = 500): { readonly ended: Promise<Ending>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<Ending>((resolve) => {
    timer = setInterval(() => {
      if (isAlive(identity)) return;
      clearInterval(timer);
      resolve({ code: null, signal: null });
    }, interval);
    timer.unref();
  });
  return { ended, stop: () => clearInterval(timer) };
}

/** The last lines that a core printed, without the normal ones. */
export function complaints(outputFile: string): string {
  try {
    const lines = tailOf(outputFile, 16_384).split('\n');
    const idle = /^$|^Xray \d|^A unified platform|\[Info\]|\[Debug\]|core: Xray \S+ started/;
    return lines
      .filter((line) => !idle.test(line))
      .slice(-60)
      .join('\n');
  } catch {
    return '';
  }
}

/** At most this many bytes from the end of a file: the output may be very large. */
function tailOf(file: string, bytes: number): string {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8', 0, read);
  } finally {
    closeSync(handle);
  }
}

/** Why a core exited. `configuration`: it will exit the same way again. */
export function reasonOf(output: string, { code, signal }: Ending): { reason: Text; configuration: boolean } {
  const failure = /^.*Failed to start: (.*)$/m.exec(output)?.[1];
  if (failure !== undefined) {
    const configuration = code === 23 || (code === null && /^main: failed to (load|create)/.test(failure));
    return { reason: lastWords(failure), configuration };
  }
  const panic = /^(?:panic|fatal error): .*$/m.exec(output)?.[0];
  if (panic !== undefined)
    return { reason: message('core.crashed', { why: verbatim(panic.slice(0, 300)) }), configuration: false };
  if (signal !== null) return { reason: message('core.killedBySignal', { signal }), configuration: false };
  if (code !== null) return { reason: message('core.exitedWithCode', { code }), configuration: code === 23 };
  return { reason: message('core.exited'), configuration: false };
}

function isRunningCore(value: unknown): value is RunningCore {
  return (
    isObject(value) &&
    Number.isInteger(value['pid']) &&
    ['startTime', 'boot', 'exe', 'run', 'version'].every((key) => typeof value[key] === 'string')
  );
}
