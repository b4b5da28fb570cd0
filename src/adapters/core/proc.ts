import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What tells one process from every other, also from a later one with the same number. */
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
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // A binary that was replaced while it runs is still the one that we started.
    const exe = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
    return { pid, startTime: fields[19] ?? '', boot, exe };
  } catch {
    return null;
  }
}

/** The same process under the executable that it runs by now: a script may become what it starts. */
export function asItIsNow<T extends Identity>(identity: T): T {
  const now = identify(identity.pid);
  const same = now !== null && now.startTime === identity.startTime && now.boot === identity.boot;
  return same ? { ...identity, exe: now.exe } : identity;
}

export function isAlive(identity: Identity): boolean {
  const now = identify(identity.pid);
  return now !== null && now.startTime === identity.startTime && now.boot === identity.boot && now.exe === identity.exe;
}

/** Every process that runs with this configuration file, whoever started it. */
export function running(configFile: string): readonly Identity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        if (!args.includes(configFile) || args[1] !== 'run') return [];
      } catch {
        return [];
      }
      const identity = identify(Number(pid));
      return identity === null ? [] : [identity];
    });
}

/** SIGTERM, and SIGKILL when it still lives after `patience` ms. Resolves when it is gone. */
export async function end(identity: Identity, patience = 5000): Promise<void> {
  signal(identity, 'SIGTERM');
  if (await gone(identity, patience)) return;
  signal(identity, 'SIGKILL');
  await gone(identity, 5000);
}

function signal(identity: Identity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch {
    // It ended by itself in between.
  }
}

async function gone(identity: Identity, patience: number): Promise<boolean> {
  const until = performance.now() + patience;
  while (isAlive(identity)) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
