import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, type Exit, endOfOutput, startChild } from './children.js';
import { coreBinary } from './core-process.js';
import { Admin, must } from './panel-admin.js';
import { freePorts } from './ports.js';
import { canFilter } from './rights.js';

export { Admin, type Envelope, must } from './panel-admin.js';

const OWN_DIRECTORY = join(tmpdir(), 'portolan-kit-data-');
/** If the test process ends without `cleanUp`, no core may keep running. */
const ownDirectories = new Set<string>();
process.on('exit', () => ownDirectories.forEach(killLeftovers));

export interface PanelOptions {
  /** An existing data directory, for a restart; a new one of mode 0700 otherwise. */
  dataDir?: string;
  /** Overrides the environment that the kit sets. */
  env?: Record<string, string>;
  coreBin?: string;
  /** Through `bin/portolan`, which can start a newer version in its place. */
  launcher?: boolean;
  /** Without CAP_NET_ADMIN for any user, so that single connections cannot be ended. */
  withoutNetAdmin?: boolean;
  /** Its standard output is on a full disk. */
  fullOutput?: boolean;
  /** A core template to store once the panel is up; the core is restarted with it. Leave it out on a restart. */
  template?: object | string;
  username?: string;
  password?: string;
  /** To come back on the same ports after a restart. */
  ports?: PanelPorts;
  timeoutMs?: number;
}

export interface PanelPorts {
  panel: number;
  sub: number;
  ops: number;
}

/** A whole panel as the operator runs it: `dist/main.js serve`. */
export interface PanelProcess {
  /** The panel with its base path, without a slash at the end. */
  url: string;
  subUrl: string;
  opsUrl: string;
  ports: PanelPorts;
  dataDir: string;
  pid: number;
  username: string;
  password: string;
  stdout(): string;
  stderr(): string;
  /** A logged-in administrator. */
  admin(): Promise<Admin>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, wait for the exit. The data directory stays, for a restart. */
  stop(): Promise<Exit>;
  /** `stop`; then, where the kit made the data directory, an end to it and to the core that outlived the panel. */
  cleanUp(): Promise<void>;
  exited: Promise<Exit>;
}

/** A template whose traffic may reach loopback, which the core's freedom outbound refuses by default. */
export function loopbackTemplate(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    log: { loglevel: 'warning' },
    inbounds: [],
    outbounds: [
      { tag: 'direct', protocol: 'freedom', settings: { finalRules: [{ action: 'allow' }] } },
      { tag: 'blocked', protocol: 'blackhole', settings: {} },
    ],
    routing: { domainStrategy: 'AsIs', rules: [] },
    ...more,
  };
}

/** Starts a panel and waits until it says it is ready; throws with the end of its output if it fails. */
export async function startPanel(options: PanelOptions = {}): Promise<PanelProcess> {
  const { username = 'operator', password = 'correct-horse-7-staple', timeoutMs = 120_000 } = options;
  const dataDir = options.dataDir ?? newDataDir();
  const ports = options.ports ?? (await panelPorts());
  const core = options.coreBin ?? coreBinary();
  const command = [process.execPath, options.launcher ? launcherFile() : mainFile(), 'serve'];
  if (options.withoutNetAdmin && canFilter)
    command.unshift('setpriv', '--bounding-set=-net_admin', '--inh-caps=-net_admin');
  if (options.fullOutput) command.unshift('sh', '-c', 'exec "$0" "$@" > /dev/full');
  const [program = '', ...args] = command;
  const child = startChild(program, args, {
    env: {
      ...cleanEnvironment(),
      PORTOLAN_DATA_DIR: dataDir,
      PORTOLAN_HOST: '127.0.0.1',
      PORTOLAN_PORT: String(ports.panel),
      PORTOLAN_SUB_HOST: '127.0.0.1',
      PORTOLAN_SUB_PORT: String(ports.sub),
      PORTOLAN_OPS_PORT: String(ports.ops),
      PORTOLAN_ADMIN_USERNAME: username,
      PORTOLAN_ADMIN_PASSWORD: password,
      ...(core === undefined ? {} : { PORTOLAN_CORE_BIN: core }),
      ...options.env,
    },
  });
  const basePath = (options.env?.['PORTOLAN_BASE_PATH'] ?? '').replace(/^\/*|\/*$/g, '');
  const url = `http://127.0.0.1:${ports.panel}${basePath === '' ? '' : `/${basePath}`}`;
  const opsUrl = `http://127.0.0.1:${ports.ops}`;
  const admin = async () => {
    const one = new Admin(url, { username, password });
    await must(one.login());
    return one;
  };
  const stop = () => child.stop(60_000);
  const cleanUp = async () => {
    await stop();
    if (!dataDir.startsWith(OWN_DIRECTORY)) return;
    await removeFolder(dataDir);
    ownDirectories.delete(dataDir);
  };
  try {
    await untilReady(child, `${opsUrl}/readyz`, timeoutMs);
    if (options.template !== undefined) await storeTemplate(await admin(), options.template);
  } catch (error) {
    await (options.dataDir === undefined ? cleanUp() : stop());
    throw new Error(
      `the panel did not start: ${error instanceof Error ? error.message : String(error)}\n${endOfOutput(child)}`,
    );
  }
  return {
    url,
    subUrl: `http://127.0.0.1:${ports.sub}`,
    opsUrl,
    ports,
    dataDir,
    pid: child.pid,
    username,
    password,
    stdout: () => child.stdout(),
    stderr: () => child.stderr(),
    admin,
    kill: (signal) => child.kill(signal),
    stop,
    cleanUp,
    exited: child.exited,
  };
}

/** The process of the panel itself: a launcher, if there is one, only waits for it. */
export function panelPid({ pid }: Pick<PanelProcess, 'pid'>): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return child !== undefined && placesOf(String(child)).includes('serve') ? child : pid;
}

/** Ends a panel and its launcher at once, as a power failure does. Its core stays. */
export function killPanel(panel: Pick<PanelProcess, 'pid'>): void {
  const pid = panelPid(panel);
  process.kill(panel.pid, 'SIGKILL');
  if (pid !== panel.pid) process.kill(pid, 'SIGKILL');
}

/** Three unused ports. */
export async function panelPorts(): Promise<PanelPorts> {
  const [panel = 0, sub = 0, ops = 0] = await freePorts(3, 'tcp');
  return { panel, sub, ops };
}

/** Stores a core template through the API and restarts the core with it. */
export async function storeTemplate(admin: Admin, template: object | string): Promise<void> {
  const coreSetting = typeof template === 'string' ? template : JSON.stringify(template, null, 2);
  await must(
    admin.form('/panel/core/update', { coreSetting, outboundTestUrl: 'https://www.gstatic.com/generate_204' }),
  );
  await must(admin.post('/panel/api/server/restartCoreService'));
}

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `node dist/main.js ARGS` on a data directory, to its end. */
export async function cli(
  args: string[],
  dataDir: string,
  { env = {}, timeoutMs = 180_000 }: { env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<CliResult> {
  const child = startCli(args, dataDir, env);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const { code } = await child.exited;
  await child.closed;
  clearTimeout(timer);
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** The same, without waiting for its end. */
export function startCli(args: string[], dataDir: string, env: Record<string, string> = {}): Child {
  const clean = { ...cleanEnvironment(), PORTOLAN_DATA_DIR: dataDir };
  return startChild(process.execPath, [mainFile(), ...args], { env: { ...clean, ...env } });
}

/**
 * Processes that name this data directory in their command line or work in it: the core that outlived its panel.
 * Only for directories that the kit made, so no foreign process can be among them.
 */
export function processesOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => placesOf(name).some((argument) => argument.includes(`${dataDir}/`)))
    .map(Number);
}

/** Removes a folder with data directories that a test made, and ends the cores which outlived the panels in it. */
export async function removeFolder(folder: string): Promise<void> {
  await endLeftovers(folder);
  rmSync(folder, { recursive: true, force: true });
}

async function endLeftovers(dataDir: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (killLeftovers(dataDir) > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}

function killLeftovers(dataDir: string): number {
  const left = processesOf(dataDir);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
  return left.length;
}

/** Command line and working directory; nothing for a process that is gone or dead. */
function placesOf(pid: string): string[] {
  try {
    return [...readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'), `${readlinkSync(`/proc/${pid}/cwd`)}/`];
  } catch {
    return [];
  }
}

async function untilReady(child: Child, url: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last = 'no answer';
  while (Date.now() < deadline) {
    if (!child.running()) throw new Error(`it ended with ${JSON.stringify(await child.exited)}`);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      if (response.status === 200) return;
      last = `HTTP ${response.status} ${(await response.text()).slice(0, 300)}`;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not ready after ${timeoutMs} ms: ${last}`);
}

function newDataDir(): string {
  const directory = mkdtempSync(OWN_DIRECTORY);
  chmodSync(directory, 0o700);
  ownDirectories.add(directory);
  return directory;
}

function mainFile(): string {
  return join(process.cwd(), 'dist', 'main.js');
}

function launcherFile(): string {
  return join(process.cwd(), 'bin', 'portolan');
}

/** The environment of the panel, without the PORTOLAN_ variables of the caller and those of vitest. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(PORTOLAN_|VITEST|NODE_OPTIONS$|NODE_ENV$|TEST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
