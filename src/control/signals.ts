/** Signals that end the panel in order, and the core with it. A second one ends it at once; the log survives both. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Requests a restart of the process with the installed files; the core and all connections stay up. */
export const RESTART_SIGNAL = 'SIGUSR2';

/** A signal to the whole process group arrives twice, once from the parent process; in ms. */
const DUPLICATE_MS = 1000;

/** Between the response that announces a restart and the end of the process, in ms. */
const GRACE_MS = 3000;

export interface StopSignals {
  /** Resolves with the first reason to end: a signal, or what was passed to `end`. */
  readonly ending: Promise<string>;
  readonly end: (why: string) => void;
  /** Whether a stop signal has arrived, as the first reason or later. */
  readonly stopped: () => boolean;
}

/** Listens for the signals and the loss of the launcher that end this process. */
export function stopSignals(): StopSignals {
  let end: (why: string) => void = () => undefined;
  let signalledAt = 0;
  const ending = new Promise<string>((resolve) => {
    end = resolve;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (signalledAt > 0 && performance.now() - signalledAt > DUPLICATE_MS) process.exit(1);
        if (signalledAt === 0) signalledAt = performance.now();
        resolve(signal);
      });
    }
  });
  // Without its launcher this process would be orphaned, and the next start would find the directory locked.
  process.once('disconnect', () => end('disconnect'));
  return { ending, end, stopped: () => signalledAt > 0 };
}

/** Restarts the process on `SIGUSR2` when it has a launcher; otherwise warns that the signal has no effect. */
export function restartOnSignal(end: (why: string) => void, warn: (message: string) => void): void {
  process.on(RESTART_SIGNAL, () => {
    if (process.send) end(RESTART_SIGNAL);
    else warn(`${RESTART_SIGNAL} has no effect: it needs a panel that was started by bin/portolan`);
  });
}

/** Ends this process after a grace period, so that its launcher starts the next one. */
export function createShutdown(end: (why: string) => void, hasLauncher = process.send !== undefined) {
  let begun = false;
  return {
    begun: () => begun,
    /** Starts the grace period; null without a launcher. */
    for(reason: string): (() => void) | null {
      if (!hasLauncher) return null;
      return () => {
        begun = true;
        setTimeout(() => end(reason), GRACE_MS);
      };
    },
  };
}

/** Protects a long-running process from what would end it or expose it. */
export function guardProcess(): void {
  // Node would open its inspector: a port through which everything can be read and changed.
  process.on('SIGUSR1', () => undefined);
  // Log output may fail because of a full disk or a closed pipe; the panel continues.
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', () => undefined);
  }
}
