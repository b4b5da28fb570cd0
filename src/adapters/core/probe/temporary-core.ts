import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CoreError } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { complaint } from '../process/binary.js';
import { binaryMissing } from '../process/binary-errors.js';
import { freeLoopbackPort } from '../process/free-port.js';
import { processesRunning, terminate } from '../process/proc.js';
import type { ProbeProxy } from './config.js';

/** How long a core may take to listen, in ms. */
const START_MS = 3_000;
const PREFIX = 'probe-';
const CONFIG = 'config.json';
/** Characters of its output that are kept for the reason of a failed start. */
const MAX_OUTPUT_CHARS = 16_384;
/** Bytes: its logs are off, so a core that prints more is broken. */
const MAX_PRINTED_BYTES = 4 * 1024 * 1024;

interface TemporaryCoreOptions {
  readonly binary: string;
  /** Each core gets its own folder in here. */
  readonly runDir: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly config: (proxy: ProbeProxy) => JsonObject;
}

/**
 * Runs a core until `use` settles, then always kills it and deletes its folder. Rejects with `CoreError` when the core does
 * not start, and when `signal` aborts before it listens.
 */
export async function withTemporaryCore<T>(
  { binary, runDir, environment, config }: TemporaryCoreOptions,
  signal: AbortSignal,
  use: (proxy: ProbeProxy) => Promise<T>,
): Promise<T> {
  const proxy = {
    port: await freeLoopbackPort(),
    user: randomBytes(12).toString('base64url'),
    password: randomBytes(24).toString('base64url'),
  };
  const assembled = config(proxy);
  const folder = join(runDir, PREFIX + randomUUID());
  const file = join(folder, CONFIG);
  // Only if it is missing: with `recursive`, Node hides that the disk is full behind ENOENT.
  if (!existsSync(runDir)) await mkdir(runDir, { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  let child: ChildProcess | undefined;
  try {
    await writeFile(file, JSON.stringify(assembled), { mode: 0o600, flag: 'wx' });
    signal.throwIfAborted();
    child = spawn(binary, ['run', '-format', 'json', '-c', file], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await listening(child, proxy.port, folder, signal);
    return await use(proxy);
  } finally {
    if (child !== undefined) await kill(child);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ends the cores that a panel process left behind when it was killed during a test. */
export async function sweep(runDir: string): Promise<void> {
  if (!existsSync(runDir)) return;
  const folders = readdirSync(runDir).filter((name) => name.startsWith(PREFIX));
  for (const folder of folders.map((name) => join(runDir, name))) {
    await Promise.all(processesRunning(join(folder, CONFIG)).map((stray) => terminate(stray, 0)));
    await rm(folder, { recursive: true, force: true });
  }
}

async function listening(child: ChildProcess, port: number, folder: string, signal: AbortSignal): Promise<void> {
  let output = '';
  let printed = 0;
  let over: Error | null = null;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.length;
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
      if (printed <= MAX_PRINTED_BYTES) return;
      over ??= new CoreError('unreachable', message('core.endlessOutput'));
      child.kill('SIGKILL');
    });
  child.once('error', (error) => (over = binaryMissing(error)));
  child.once('close', () => (over ??= complaint(output, folder)));
  const until = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (over !== null) throw over;
    signal.throwIfAborted();
    if (performance.now() > until) throw new CoreError('unreachable', message('core.temporaryCoreSilent'));
    await sleep(15);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/** Kills a temporary core; it has no state to save. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await exited;
}
