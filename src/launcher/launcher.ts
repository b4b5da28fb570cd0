import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import semver from 'semver';
import { readSpare, replaceFile } from '../adapters/data-directory/files.js';
import { message, type Text } from '../messages/message.js';
import { cliLanguage, sayIn } from '../messages/terminal.js';
import { onTrial, recordFailure, switching } from '../store/generations.js';
import { version as ownVersion } from '../version.js';

/** The exit code with which a panel asks for the version that is chosen by then to be started. */
export const SWITCH_CODE = 75;
/** The exit code of a panel that could not start because the disk is full: nobody else could either. */
export const FULL_CODE = 74;
/** What a panel tells its launcher, over the channel of `child_process`. */
export const READY = { type: 'ready' } as const;

export interface LaunchOptions {
  /** The installation that this launcher belongs to; its files may be others by the next start. */
  readonly root: string;
  /** What follows `portolan` on the command line; `serve` is among it. */
  readonly args: readonly string[];
  readonly dataDir: string;
  /** How long a newer version may take to become ready, and an older one to end, in ms. */
  readonly readyMs?: number;
  /** How long a start may take that begins to serve another state: it replays the whole log. In ms. */
  readonly stateMs?: number;
  readonly endMs?: number;
}

interface Ending {
  readonly code: number;
  readonly ready: boolean;
  /** It was neither ready nor gone in time. */
  readonly late: boolean;
}

const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;
const pointerOf = (dataDir: string): string => join(dataDir, 'panel', 'current');
/** Names the last chosen version that became ready. */
const provenOf = (dataDir: string): string => join(dataDir, 'panel', 'proven');
const reportOf = (dataDir: string): string => join(dataDir, 'panel', 'rolled-back.json');

/** Where an installed version lies. */
export const panelFolder = (dataDir: string, version: string): string => join(dataDir, 'panel', version);

/** The version that was chosen in a data directory, if it is newer than `own` and there. */
export const chosenPanel = (dataDir: string, own: string): string | null => named(pointerOf(dataDir), dataDir, own);

function named(file: string, dataDir: string, own: string): string | null {
  try {
    const version = readSpare(file)?.toString().trim() ?? '';
    const usable = VERSION.test(version) && semver.gt(version, own);
    return usable && existsSync(join(panelFolder(dataDir, version), 'dist', 'main.js')) ? version : null;
  } catch {
    return null;
  }
}

/** The version of an installation as its files say it now; while they are being changed, the one of this process. */
function versionOf(root: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' && semver.valid(version) !== null ? version : ownVersion;
  } catch {
    return ownVersion;
  }
}

/** The folder of the version that counts: the chosen one, else the launcher's own. */
export function panelRoot({ root, dataDir }: Pick<LaunchOptions, 'root' | 'dataDir'>): string {
  const chosen = chosenPanel(dataDir, versionOf(root));
  return chosen === null ? root : panelFolder(dataDir, chosen);
}

/** Makes an installed version the one that counts, at once or not at all; null = none. */
export function choosePanel(dataDir: string, version: string | null): void {
  if (version === null) rmSync(pointerOf(dataDir), { force: true });
  else replaceFile(pointerOf(dataDir), `${version}\n`);
}

export interface RollBack {
  readonly version: string;
  readonly to: string;
  readonly reason: Text;
}

/** What the launcher left for the panel to record; it is told once. */
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

/** Where `--data-dir` or the environment puts the data. Everything else is the panel's to understand. */
export function dataDirOf(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const at = args.findIndex((arg) => arg === '--data-dir' || arg.startsWith('--data-dir='));
  const flag = at < 0 ? undefined : args[at]?.includes('=') ? args[at].slice('--data-dir='.length) : args[at + 1];
  return resolve(flag || env['PORTOLAN_DATA_DIR'] || './data');
}

/**
 * Runs the panel, and starts it anew when it asks for that: with a newer version that was installed meanwhile. One that
 * does not become ready is ended, and the former version runs again. Resolves to the exit code of the last panel.
 */
export async function launch(options: LaunchOptions): Promise<number> {
  const { dataDir, readyMs = 60_000, stateMs = 600_000, endMs = 15_000 } = options;
  const signals = new Signals();
  let broughtBack = false;
  try {
    for (;;) {
      const own = versionOf(options.root);
      const version = chosenPanel(dataDir, own);
      const proven = named(provenOf(dataDir), dataDir, own);
      const trial = version !== null && version !== proven;
      const folder = version === null ? options.root : panelFolder(dataDir, version);
      const ready = (): void => (trial ? replaceFile(provenOf(dataDir), `${version}\n`) : undefined);
      const times = { readyMs: trial ? readyMs : switching(dataDir) ? stateMs : null, endMs, ready };
      const ending = await run(folder, options.args, signals, times);
      const asked = ending.code === SWITCH_CODE && ending.ready;
      if (ending.code === FULL_CODE) return ending.code;
      // A new state that did not get ready: the next start brings back the one before.
      if (!signals.stopped && !ending.ready && !broughtBack && onTrial(dataDir)) {
        broughtBack = true;
        recordFailure(dataDir, reasonOf(ending, times.readyMs ?? 0));
        print(message('backup.oldStateRestored'));
        continue;
      }
      if (signals.stopped || (!asked && !(trial && !ending.ready))) return ending.code;
      if (!asked) {
        const reason = reasonOf(ending, readyMs);
        choosePanel(dataDir, proven);
        const report: RollBack = { version: version ?? own, to: proven ?? own, reason };
        replaceFile(reportOf(dataDir), JSON.stringify(report));
        print(message('backup.versionRolledBack', { version: report.version, why: reason }));
      }
    }
  } finally {
    signals.close();
  }
}

function print(text: Text): void {
  process.stderr.write(`portolan: ${sayIn(cliLanguage(process.env))(text)}\n`);
}

function reasonOf({ late, code }: Ending, readyMs: number): Text {
  return late ? message('backup.notReadyInTime', { span: readyMs }) : message('backup.exited', { code });
}

async function run(
  folder: string,
  args: readonly string[],
  signals: Signals,
  times: { readonly readyMs: number | null; readonly endMs: number; readonly ready: () => void },
): Promise<Ending> {
  const { readyMs, endMs } = times;
  const child = spawn(process.execPath, ['--enable-source-maps', join(folder, 'dist', 'main.js'), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  signals.pass(child);
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
    signals.heard();
  });
  const code = await new Promise<number>((done) => {
    child.once('error', () => done(127));
    child.once('exit', (exit, signal) => done(exit ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  signals.gone();
  clearTimeout(timer);
  clearTimeout(killer);
  return { code, ready, late };
}

/** Signals that ask a panel for something. One that cannot hear them yet would end of them, so they wait for it. */
const WISHES: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGUSR2']);

/** Passes signals on to whichever panel runs. */
class Signals {
  /** Somebody wants all of this to end. */
  stopped = false;
  #child: ChildProcess | undefined;
  #hears = false;
  readonly #waiting = new Set<NodeJS.Signals>();
  readonly #last = new Map<NodeJS.Signals, number>();
  readonly #handlers = (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const).map((signal) => {
    const handler = (): void => this.#got(signal);
    process.on(signal, handler);
    return [signal, handler] as const;
  });

  pass(child: ChildProcess): void {
    this.#child = child;
    if (this.stopped) child.kill('SIGTERM');
  }

  /** The panel is ready: it hears everything. */
  heard(): void {
    this.#hears = true;
    for (const signal of this.#waiting) this.#child?.kill(signal);
    this.#waiting.clear();
  }

  /** The panel has ended; another one may begin. */
  gone(): void {
    this.#hears = false;
  }

  close(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }

  #got(signal: NodeJS.Signals): void {
    const wish = WISHES.has(signal);
    if (!wish) this.stopped = true;
    // A terminal gives Ctrl-C to the panel itself, and npm repeats signals: the panel takes a second one as "at once".
    const repeated = Date.now() - (this.#last.get(signal) ?? 0) < 500;
    this.#last.set(signal, Date.now());
    if (repeated || (signal === 'SIGINT' && process.stdin.isTTY)) return;
    if (wish && !this.#hears) this.#waiting.add(signal);
    else this.#child?.kill(signal);
  }
}
