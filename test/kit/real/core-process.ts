import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, endOfOutput, startChild } from './children.js';

/** The executable of the real core, if there is one. */
export function coreBinary(): string | undefined {
  const file = process.env['PORTOLAN_CORE_BIN'];
  return file === undefined || file === '' ? undefined : file;
}

/** For `describe.skipIf`: true without a real core, and then prints a notice that the suite is skipped. */
export function withoutCore(suite: string): boolean {
  if (coreBinary() !== undefined) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(
    `\n${line}\n!! SKIPPED: ${suite}\n!! PORTOLAN_CORE_BIN is not set, so there is no real core.\n${line}\n`,
  );
  return true;
}

export interface CoreOptions {
  coreBin?: string;
  env?: Record<string, string>;
  /** The time until all ports must listen. */
  timeoutMs?: number;
}

/** A real core with a configuration of our own. */
export interface CoreProcess extends Pick<Child, 'pid' | 'running' | 'exited' | 'kill'> {
  /** All output. */
  log(): string;
  stop(): Promise<void>;
}

/** Runs the core on `config` and waits until it listens on all `tcpPorts`; throws with the core's own message. */
export async function startCore(config: object, tcpPorts: number[], options: CoreOptions = {}): Promise<CoreProcess> {
  const binary = options.coreBin ?? coreBinary();
  if (binary === undefined) throw new Error('no core: set PORTOLAN_CORE_BIN');
  const directory = mkdtempSync(join(tmpdir(), 'portolan-kit-core-'));
  const file = join(directory, 'config.json');
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
  const child = startChild(binary, ['run', '-c', file], {
    cwd: directory,
    env: { ...process.env, XRAY_BUF_SPLICE: 'disable', ...options.env },
  });
  const stop = async () => {
    await child.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await untilListening(child, tcpPorts, options.timeoutMs ?? 120_000);
  } catch (error) {
    await stop();
    throw new Error(
      `the core did not start: ${error instanceof Error ? error.message : String(error)}\n${endOfOutput(child)}`,
    );
  }
  return {
    pid: child.pid,
    running: () => child.running(),
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    log: () => endOfOutput(child, 100_000),
    stop,
  };
}

async function untilListening(child: Child, ports: number[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (const port of ports) {
    while (!(await accepts(port))) {
      if (!child.running()) throw new Error(`it ended with ${JSON.stringify(await child.exited)}`);
      if (Date.now() > deadline) throw new Error(`nothing listens on ${port} after ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  if (!child.running()) throw new Error(`it ended with ${JSON.stringify(await child.exited)}`);
}

/** Whether a server accepts TCP connections on this loopback port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(500, () => finish(false));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
