import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

const alive = new Set<ChildProcess>();
let exitHookSet = false;

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process with its output, which ends at the latest together with this one. */
export interface Child {
  pid: number;
  stdout(): string;
  stderr(): string;
  running(): boolean;
  /** Resolves once, when the process is gone; never rejects. */
  exited: Promise<Exit>;
  /** Resolves when its output is complete: after the exit, and after that of every process which inherited the output. */
  closed: Promise<void>;
  kill(signal?: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL when it is still there after `graceMs`. */
  stop(graceMs?: number): Promise<Exit>;
}

/** The end of the output, which explains a failure. */
export function endOfOutput(child: Pick<Child, 'stdout' | 'stderr'>, characters = 2_000): string {
  return [child.stdout(), child.stderr()]
    .map((text) => text.trim().slice(-characters))
    .filter((text) => text !== '')
    .join('\n');
}

/** Starts `command` without a shell. */
export function startChild(command: string, args: string[], options: SpawnOptions = {}): Child {
  setExitHook();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '', exit: undefined as Exit | undefined };
  alive.add(child);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out.stdout = keepEnd(out.stdout + text);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    out.stderr = keepEnd(out.stderr + text);
  });
  const exited = new Promise<Exit>((resolve) => {
    const end = (exit: Exit) => {
      if (out.exit !== undefined) return;
      alive.delete(child);
      out.exit = exit;
      resolve(exit);
    };
    child.once('error', (error) => {
      out.stderr += `\n${error.message}`;
      end({ code: null, signal: null });
    });
    child.once('exit', (code, signal) => end({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('error', () => resolve()).once('close', () => resolve());
  });
  const stop = async (graceMs = 20_000) => {
    if (out.exit !== undefined) return out.exit;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    const exit = await exited;
    clearTimeout(timer);
    return exit;
  };
  return {
    pid: child.pid ?? 0,
    stdout: () => out.stdout,
    stderr: () => out.stderr,
    running: () => out.exit === undefined,
    exited,
    closed,
    kill: (signal = 'SIGTERM') => {
      child.kill(signal);
    },
    stop,
  };
}

function keepEnd(text: string): string {
  return text.length > 1_000_000 ? text.slice(-800_000) : text;
}

function setExitHook(): void {
  if (exitHookSet) return;
  exitHookSet = true;
  process.on('exit', () => {
    for (const child of alive) child.kill('SIGKILL');
  });
}
