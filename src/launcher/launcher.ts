import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import semver from 'semver';
import { readSpare, replaceFile } from '../adapters/data-directory/files.js';
import { printProblem } from '../lib/errors/print-problem.js';
import { message, type Text } from '../messages/message.js';
import { cliLanguage, rendererFor } from '../messages/terminal.js';
import { onTrial, recordFailure, switching } from '../store/generations.js';
import { version as ownVersion } from '../version.js';

/** The exit code with which a panel asks its launcher to start the currently chosen version. */
export const SWITCH_CODE = 75;
/** The exit code of a panel that could not start because the disk is full. Another version could not start either. */
export const FULL_CODE = 74;
/** The message that a ready panel sends to its launcher over the IPC channel of `child_process`. */
export const READY = { type: 'ready' } as const;

interface LaunchOptions {
  /** The folder of the installation of this launcher. Its files may change between two starts of the panel. */
  readonly root: string;
  /** The arguments after `portolan` on the command line, with `serve` among them. */
  readonly args: readonly string[];
  readonly dataDir: string;
  /** How long a new version may take to become ready, in ms. */
  readonly readyMs?: number;
  /** How long the first start with another state may take, in ms: it replays the whole log. */
  readonly stateMs?: number;
  /** How long a panel that was not ready in time may take to exit, in ms. Then it is killed. */
  readonly endMs?: number;
}

interface Exit {
  readonly code: number;
  readonly ready: boolean;
  /** It was not ready in time and was stopped. */
  readonly late: boolean;
}

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;
const pointerOf = (dataDir: string): string => join(dataDir, 'panel', 'current');
/** The file with the last chosen version that became ready. */
const provenOf = (dataDir: string): string => join(dataDir, 'panel', 'proven');
const reportOf = (dataDir: string): string => join(dataDir, 'panel', 'rolled-back.json');

/** The folder of an installed version. */
export const panelFolder = (dataDir: string, version: string): string => join(dataDir, 'panel', version);

/** The version that was chosen in a data directory, if it is newer than `own` and installed; otherwise null. */
export const chosenPanel = (dataDir: string, own: string): string | null => versionIn(pointerOf(dataDir), dataDir, own);

function versionIn(file: string, dataDir: string, own: string): string | null {
  try {
    const version = readSpare(file)?.toString().trim() ?? '';
    const usable = VERSION.test(version) && semver.gt(version, own);
    return usable && existsSync(join(panelFolder(dataDir, version), 'dist', 'main.js')) ? version : null;
  } catch {
    return null;
  }
}

/** The version in `package.json` of an installation; while its files are being replaced, the version of this process. */
function versionOf(root: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' && semver.valid(version) !== null ? version : ownVersion;
  } catch {
    return ownVersion;
  }
}

/** The folder of the version to run: the chosen one, otherwise that of the launcher. */
export function panelRoot({ root, dataDir }: Pick<LaunchOptions, 'root' | 'dataDir'>): string {
  const chosen = chosenPanel(dataDir, versionOf(root));
  return chosen === null ? root : panelFolder(dataDir, chosen);
}

/** Chooses an installed version atomically; null = none, so the version of the launcher runs. */
export function choosePanel(dataDir: string, version: string | null): void {
  if (version === null) rmSync(pointerOf(dataDir), { force: true });
  else replaceFile(pointerOf(dataDir), `${version}\n`);
}

interface RollBack {
  readonly version: string;
  readonly to: string;
  readonly reason: Text;
}

/** The rollback that the launcher has left for the panel to record, or null. Deletes it. */
export function takeReport(dataDir: string): RollBack | null {
  try {
    const content = readSpare(reportOf(dataDir));
    if (content === null) return null;
    const report = JSON.parse(content.toString()) as RollBack;
    rmSync(reportOf(dataDir));
    return report;
  } catch {
    return null;
  }
}

/** The data directory from `--data-dir` or the environment. The panel parses all other arguments. */
export function dataDirOf(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const at = args.findIndex((arg) => arg === '--data-dir' || arg.startsWith('--data-dir='));
  const flag = at < 0 ? undefined : args[at]?.includes('=') ? args[at].slice('--data-dir='.length) : args[at + 1];
  return resolve(flag || env['PORTOLAN_DATA_DIR'] || './data');
}

/**
 * Runs the panel, and restarts it on request with the version that is chosen by then. A new version that does not become
 * ready is stopped, and the previous version runs again. Resolves to the exit code of the last panel.
 */
export async function launch(options: LaunchOptions): Promise<number> {
  const { dataDir, readyMs = 60_000, stateMs = 600_000, endMs = 15_000 } = options;
  const signals = new Signals();
  const warn = (text: Text): void => printProblem('warning', text, outputOf(options.args));
  let rolledBack = false;
  try {
    for (;;) {
      const own = versionOf(options.root);
      const version = chosenPanel(dataDir, own);
      const proven = versionIn(provenOf(dataDir), dataDir, own);
      const trial = version !== null && version !== proven;
      const folder = version === null ? options.root : panelFolder(dataDir, version);
      const ready = (): void => (trial ? replaceFile(provenOf(dataDir), `${version}\n`) : undefined);
      const times = { readyMs: trial ? readyMs : switching(dataDir) ? stateMs : null, endMs, ready };
      const exit = await run(folder, options.args, signals, times);
      const restartRequested = exit.code === SWITCH_CODE && exit.ready;
      if (exit.code === FULL_CODE) return exit.code;
      // The new state did not become ready: the next start restores the previous one.
      if (!signals.stopped && !exit.ready && !rolledBack && onTrial(dataDir)) {
        rolledBack = true;
        recordFailure(dataDir, reasonOf(exit, times.readyMs ?? 0));
        warn(message('backup.oldStateRestored'));
        continue;
      }
      if (signals.stopped || (!restartRequested && !(trial && !exit.ready))) return exit.code;
      if (!restartRequested) {
        const reason = reasonOf(exit, readyMs);
        choosePanel(dataDir, proven);
        const report: RollBack = { version: version ?? own, to: proven ?? own, reason };
        replaceFile(reportOf(dataDir), JSON.stringify(report));
        warn(message('backup.versionRolledBack', { version: report.version, why: reason }));
      }
    }
  } finally {
    signals.close();
  }
}

/** How the launcher prints problems: as the panel does with the same arguments. */
export function outputOf(args: readonly string[]): Parameters<typeof printProblem>[2] {
  return { json: args.includes('--json'), say: rendererFor(cliLanguage(process.env)) };
}

function reasonOf({ late, code }: Exit, readyMs: number): Text {
  return late ? message('backup.notReadyInTime', { span: readyMs }) : message('backup.exited', { code });
}

async function run(
  folder: string,
  args: readonly string[],
  signals: Signals,
  times: { readonly readyMs: number | null; readonly endMs: number; readonly ready: () => void },
): Promise<Exit> {
  const { readyMs, endMs } = times;
  const child = spawn(process.execPath, ['--enable-source-maps', join(folder, 'dist', 'main.js'), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  signals.forwardTo(child);
  let ready = false;
  let late = false;
  let killer: NodeJS.Timeout | undefined;
  const timer =
    readyMs === null
      ? undefined
      : setTimeout(() => {
          late = true;
          child.kill('SIGTERM');
          killer = setTimeout(() => child.kill('SIGKILL'), endMs);
        }, readyMs);
  child.on('message', (sent) => {
    if ((sent as { type?: unknown }).type !== READY.type || late) return;
    ready = true;
    clearTimeout(timer);
    times.ready();
    signals.panelReady();
  });
  const code = await new Promise<number>((done) => {
    child.once('error', () => done(127));
    child.once('exit', (status, signal) => done(status ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  signals.panelExited();
  clearTimeout(timer);
  clearTimeout(killer);
  return { code, ready, late };
}

/** Signals that do not stop the panel. Before its handlers are installed they would end it, so they are held back until then. */
const REQUEST_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGUSR2']);

/** Forwards signals to the running panel. */
class Signals {
  /** A signal to stop has arrived. */
  stopped = false;
  #child: ChildProcess | undefined;
  #ready = false;
  readonly #pending = new Set<NodeJS.Signals>();
  readonly #last = new Map<NodeJS.Signals, number>();
  readonly #handlers = (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const).map((signal) => {
    const handler = (): void => this.#received(signal);
    process.on(signal, handler);
    return [signal, handler] as const;
  });

  forwardTo(child: ChildProcess): void {
    this.#child = child;
    if (this.stopped) child.kill('SIGTERM');
  }

  /** The panel is ready and handles every signal. */
  panelReady(): void {
    this.#ready = true;
    for (const signal of this.#pending) this.#child?.kill(signal);
    this.#pending.clear();
  }

  /** The panel has exited; another one may start. */
  panelExited(): void {
    this.#ready = false;
  }

  close(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }

  #received(signal: NodeJS.Signals): void {
    const isRequest = REQUEST_SIGNALS.has(signal);
    if (!isRequest) this.stopped = true;
    // The terminal sends Ctrl-C to the panel too, and npm repeats signals. A second signal would end the panel at once.
    const repeated = Date.now() - (this.#last.get(signal) ?? 0) < 500;
    this.#last.set(signal, Date.now());
    if (repeated || (signal === 'SIGINT' && process.stdin.isTTY)) return;
    if (isRequest && !this.#ready) this.#pending.add(signal);
    else this.#child?.kill(signal);
  }
}
