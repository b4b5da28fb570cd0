import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { until } from '../../wait.js';
import type { TestCertificate } from '../certificate.js';
import { type Child, endOfOutput, startChild } from '../children.js';
import { accepts } from '../core-process.js';
import { freePorts } from '../ports.js';

/** The executable of the real NATS server, if there is one. */
export const natsBinary = (): string | undefined => process.env['PORTOLAN_NATS_BIN'] || undefined;

/** For `describe.skipIf`: true without a NATS server, and then prints a notice that the suite is skipped. */
export function withoutNats(suite: string): boolean {
  if (natsBinary() !== undefined) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(
    `\n${line}\n!! SKIPPED: ${suite}\n!! PORTOLAN_NATS_BIN is not set, so there is no NATS server.\n${line}\n`,
  );
  return true;
}

export interface NatsUser {
  readonly user: string;
  readonly password: string;
  /** As in the configuration: `{ publish: { allow: [...] }, subscribe: ... }`. Default: everything. */
  readonly permissions?: object;
}

export interface NatsOptions {
  readonly name?: string;
  /** The first one is that of `client`. Default: one user who may do everything. */
  readonly users?: readonly NatsUser[];
  /** Clients must use TLS. */
  readonly tls?: TestCertificate;
  /** Limits and settings of JetStream, over the defaults of the kit; false: none. */
  readonly jetstream?: Readonly<Record<string, unknown>> | false;
  /** Any other option of the configuration file. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface NatsServer {
  readonly name: string;
  readonly port: number;
  readonly monitorPort: number;
  /** `nats://` or `tls://`, without credentials. */
  readonly url: string;
  /** The first user. */
  readonly user: NatsUser;
  /** The folder with all data; it lasts until `remove`. */
  readonly storeDir: string;
  pid(): number;
  running(): boolean;
  /** The end of the log of the current or last process. */
  log(): string;
  /** Starts the stopped server again, with the same ports and data, and waits until it listens. */
  start(): Promise<void>;
  /** Ends it in an orderly way. */
  stop(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
  /** SIGSTOP: its connections stay open and silent. Resolves when all its threads have stopped. */
  pause(): Promise<void>;
  /** SIGCONT */
  resume(): void;
  /** The answer of the monitoring port, for example to `/jsz?streams=true`; undefined if it does not answer. */
  monitor(path: string): Promise<unknown>;
  /** Whether it is in contact with its cluster and JetStream has recovered all its streams. */
  healthy(): Promise<boolean>;
  /** A connection of the first user, only to this server. */
  client(options?: ConnectionOptions): Promise<NatsConnection>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

const DEFAULT_USER: NatsUser = { user: 'portolan', password: 'password-of-the-tests' };
const MB = 1024 * 1024;

/** One server on loopback, with JetStream that writes every message to the disk at once. Waits until it is ready. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const server = await prepareNats(options);
  try {
    await server.start();
    await until(`${server.name} is healthy`, () => server.healthy(), 10);
  } catch (error) {
    await server.remove();
    throw error;
  }
  return server;
}

/** A server that was not started yet. */
export async function prepareNats(options: NatsOptions = {}): Promise<NatsServer> {
  const binary = natsBinary();
  if (binary === undefined) throw new Error('no NATS server: set PORTOLAN_NATS_BIN');
  const { name = 'n1', users = [DEFAULT_USER], tls } = options;
  const [port = 0, monitorPort = 0] = await freePorts(2, 'tcp');
  const folder = mkdtempSync(join(tmpdir(), `portolan-kit-nats-${name}-`));
  const storeDir = join(folder, 'store');
  const file = join(folder, 'nats.conf');
  const user = users[0] ?? DEFAULT_USER;
  // JSON is a subset of the configuration language.
  writeFileSync(file, JSON.stringify(configOf({ ...options, name, users }, { port, monitorPort, storeDir }), null, 2), {
    mode: 0o600,
  });
  const state: { child?: Child } = {};
  const monitor = (path: string) => ask(monitorPort, path);
  const start = async (): Promise<void> => {
    const child = startChild(binary, ['-c', file], { cwd: folder });
    state.child = child;
    await until(
      `${name} listens`,
      async () => {
        if (!child.running()) return true;
        return (await accepts(port)) && (await accepts(monitorPort));
      },
      10,
    );
    if (!child.running()) throw new Error(`${name} did not start:\n${endOfOutput(child)}`);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (state.child?.running() !== true) return;
    state.child.kill('SIGCONT');
    state.child.kill(signal);
    await state.child.exited;
  };
  return {
    name,
    port,
    monitorPort,
    url: `${tls === undefined ? 'nats' : 'tls'}://127.0.0.1:${port}`,
    user,
    storeDir,
    pid: () => state.child?.pid ?? 0,
    running: () => state.child?.running() ?? false,
    log: () => (state.child === undefined ? '' : endOfOutput(state.child, 100_000)),
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pause: async () => {
      const pid = state.child?.pid ?? 0;
      state.child?.kill('SIGSTOP');
      await until(`all threads of ${name} have stopped`, () => isStopped(pid), 5);
    },
    resume: () => state.child?.kill('SIGCONT'),
    monitor,
    healthy: async () => ((await monitor('/healthz')) as { status?: string } | undefined)?.status === 'ok',
    client: (given = {}) =>
      connect({
        servers: [`127.0.0.1:${port}`],
        user: user.user,
        pass: user.password,
        ...(tls !== undefined && { tls: { ca: tls.certPem } }),
        ignoreClusterUpdates: true,
        ...given,
      }),
    remove: async () => {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Places {
  readonly port: number;
  readonly monitorPort: number;
  readonly storeDir: string;
}

function configOf({ name, users, tls, jetstream = {}, config }: NatsOptions, places: Places): object {
  return {
    server_name: name,
    listen: `127.0.0.1:${places.port}`,
    http: `127.0.0.1:${places.monitorPort}`,
    authorization: { users },
    ...(tls !== undefined && { tls: { cert_file: tls.certFile, key_file: tls.keyFile } }),
    ...(jetstream !== false && {
      jetstream: {
        store_dir: places.storeDir,
        sync_interval: 'always',
        max_file_store: 256 * MB,
        max_memory_store: 16 * MB,
        ...jetstream,
      },
    }),
    ...config,
  };
}

async function ask(port: number, path: string): Promise<unknown> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) });
    return await reply.json();
  } catch {
    return undefined;
  }
}

/** A signal stops each thread at its own time: until then the server may still answer. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /^State:\s+T/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
  );
}
