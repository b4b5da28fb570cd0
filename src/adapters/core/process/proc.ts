import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Identifies one process, even if its number is reused later. */
export interface Identity {
  readonly pid: number;
  /** Clock ticks since boot at which it began. */
  readonly startTime: string;
  readonly boot: string;
  readonly exe: string;
}

/** Null when there is no such process, or only its remains. */
export function identify(pid: number): Identity | null {
  try {
    const fields = fieldsOf(pid);
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // A binary that was replaced while it runs is still the one that we started.
    const exe = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
    return { pid, startTime: fields[19] ?? '', boot, exe };
  } catch {
    return null;
  }
}

/**
 * The fields of `/proc/PID/stat` after the name: state, parent, group and so on. Throws when there is no such process.
 */
function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may itself contain spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The same process under the executable that it runs by now: a script may become what it starts. */
export function refreshed<T extends Identity>(identity: T): T {
  const now = identify(identity.pid);
  const same = now !== null && now.startTime === identity.startTime && now.boot === identity.boot;
  return same ? { ...identity, exe: now.exe } : identity;
}

export function isAlive(identity: Identity): boolean {
  const now = identify(identity.pid);
  return now !== null && now.startTime === identity.startTime && now.boot === identity.boot && now.exe === identity.exe;
}

/** All processes of a core that run with this configuration file. */
export function processesRunning(configFile: string): readonly Identity[] {
  return processesWith((args) => args.includes(configFile) && args[1] === 'run');
}

/** All processes whose arguments match. None where there is no /proc. */
export function processesWith(matches: (args: readonly string[]) => boolean): readonly Identity[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!matches(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))) return [];
      } catch {
        return [];
      }
      const identity = identify(Number(pid));
      return identity === null ? [] : [identity];
    });
}

/**
 * SIGTERM, and SIGKILL if it still runs after `timeoutMs`; then SIGKILL for the rest of its process group, such as the
 * children of a script. Resolves when the process is gone.
 */
export async function terminate(identity: Identity, timeoutMs = 5000): Promise<void> {
  const leads = leadsGroup(identity);
  signal(identity, 'SIGTERM');
  if (!(await waitUntilGone(identity, timeoutMs))) {
    signal(identity, 'SIGKILL');
    await waitUntilGone(identity, 5000);
  }
  if (leads && !isAlive(identity)) killGroup(identity.pid);
}

/** Whether a process leads a process group. */
function leadsGroup(identity: Identity): boolean {
  try {
    return isAlive(identity) && fieldsOf(identity.pid)[2] === String(identity.pid);
  } catch {
    return false;
  }
}

/** Ends what is left of a process group. No new process gets its number while there is any. */
export function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

function signal(identity: Identity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

async function waitUntilGone(identity: Identity, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (isAlive(identity)) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
