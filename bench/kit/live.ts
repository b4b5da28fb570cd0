import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CoreApi, connectApi } from '../../src/adapters/core/control/grpc.js';
import { coreFiles } from '../../src/adapters/core/process/core-files.js';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { scryptPasswords } from '../../src/adapters/passwords/passwords.js';
import { accountName, emailOfAccount, type NamedClient } from '../../src/lib/account-name.js';
import type { JsonObject } from '../../src/lib/json.js';
import { loopbackTemplate, type PanelProcess, processesOf, startPanel } from '../../test/kit/real/panel-process.js';
import { freePort } from '../../test/kit/real/ports.js';
import { populate } from './fleet.js';
import { newFolder, openInside, removeFolder } from './inside.js';

const TOKEN = 'bench-token-of-the-panel-api';
/** Its first admin, with the name that `startPanel` expects, and as many more as log in concurrently. */
export const ADMINS: readonly string[] = ['captain', ...Array.from({ length: 50 }, (_, n) => `captain-${n}`)];
export const PASSWORD = 'correct-horse-7-staple';

/** Headers of a request with the API token of a seeded panel. */
export const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
/** The first admin of a seeded panel. */
export const FIRST_LOGIN = { username: ADMINS[0] ?? '', password: PASSWORD };

/** A production panel, `dist/main.js serve`, with a real core and a fleet on inbound 1. */
export interface LivePanel {
  readonly process: PanelProcess;
  readonly folder: string;
  readonly port: number;
  readonly clients: number;
  /** Headers of a request with the API token. */
  readonly headers: Readonly<Record<string, string>>;
  /** The API of its core. */
  readonly core: CoreApi;
  /** Emails of the clients of inbound 1 that the core has, or only of the given one. */
  readonly running: (client?: NamedClient) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

/** `env`: additional environment variables of the panel process, such as `NODE_OPTIONS=--cpu-prof`. */
export async function livePanel(clients: number, env: Readonly<Record<string, string>> = {}): Promise<LivePanel> {
  const folder = newFolder();
  const port = await freePort();
  await seedFleet(folder, clients, port);
  // If this process ends without `stop`, no core may keep running.
  const leftovers = (): void => {
    for (const pid of processesOf(folder)) process.kill(pid, 'SIGKILL');
  };
  process.once('exit', leftovers);
  const panel = await startPanel({
    ...FIRST_LOGIN,
    dataDir: folder,
    env: { PORTOLAN_LOG_LEVEL: 'warn', ...env },
    timeoutMs: 60_000,
  });
  const { run, logs, geo } = dataDirectory(folder);
  const { paths } = coreFiles({ runDir: run, logDir: logs, assetDir: geo, splice: false });
  const core = connectApi(paths.socket);
  return {
    process: panel,
    folder,
    port,
    clients,
    headers: HEADERS,
    core,
    running: async (client) => {
      const request = client === undefined ? { tag: 'bench' } : { tag: 'bench', email: accountName(client) };
      const { users } = await core.call('HandlerService/GetInboundUsers', request, 30_000);
      return users.map((user) => emailOfAccount(user.email));
    },
    stop: async () => {
      core.close();
      await panel.stop();
      process.off('exit', leftovers);
      leftovers();
      removeFolder(folder);
    },
  };
}

/** Fills a data directory: admins, an API token, and clients on inbound 1, which listens on `port`. */
export async function seedFleet(folder: string, clients: number, port: number): Promise<void> {
  const inside = await openInside(folder);
  inside.run({ type: 'IssueApiToken', data: { token: TOKEN, replace: false } });
  const template = loopbackTemplate() as JsonObject;
  inside.run({ type: 'ChangeCoreTemplate', data: { template, outboundTestUrl: '' } });
  const passwords = scryptPasswords();
  for (const username of ADMINS)
    inside.run({ type: 'CreateUser', data: { username, passwordHash: await passwords.hash(PASSWORD) } });
  populate(inside, clients, port);
  await inside.close();
}

let shared: Promise<LivePanel> | null = null;

/** The panel that consecutive benchmarks share; `endShared` stops it. */
export function sharedPanel(clients: number): Promise<LivePanel> {
  shared ??= livePanel(clients);
  return shared;
}

export async function endShared(): Promise<void> {
  const panel = shared;
  shared = null;
  await (await panel?.catch(() => null))?.stop();
}

/** Clock ticks in a second, as /proc counts them on Linux. */
const TICKS = 100;

/** Resource usage of a process, from the kernel. */
export const proc = {
  /** User and system time so far, in s. */
  cpuSeconds(pid: number): number {
    const fields =
      readFileSync(join('/proc', String(pid), 'stat'), 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  },
  /** The processes that a process has started and whose command line contains `name`. */
  children(pid: number, name: string): readonly number[] {
    const text = readFileSync(join('/proc', String(pid), 'task', String(pid), 'children'), 'utf8');
    const matches = (one: number): boolean =>
      readFileSync(join('/proc', String(one), 'cmdline'), 'utf8').includes(name);
    return text.split(' ').filter(Boolean).map(Number).filter(matches);
  },
  /** The processes of a panel that answer subscriptions beside it. */
  followers: (pid: number): readonly number[] => proc.children(pid, 'followers/follower'),
  /** Resident memory, in MB. */
  rss(pid: number): number {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(join('/proc', String(pid), 'status'), 'utf8'))?.[1];
    return Number(kilobytes) / 1024;
  },
  /** Bytes sent to disks so far, in kB. */
  written(pid: number): number {
    const bytes = /^write_bytes: (\d+)/m.exec(readFileSync(join('/proc', String(pid), 'io'), 'utf8'))?.[1];
    return Number(bytes) / 1000;
  },
};
