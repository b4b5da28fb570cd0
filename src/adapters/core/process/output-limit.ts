import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Maximum size of the output of a core between two checks, in bytes, and how much of its end is kept. */
const MAX_BYTES = 1024 * 1024;
const KEPT_BYTES = 16 * 1024;
const CHECK_MS = 250;

export interface OutputLimiter {
  /** Checks every 250 ms until `stop`. Does nothing when it is already running. */
  start(): void;
  stop(): void;
}

/**
 * Keeps the file small into which a core prints. The core owns the file, so that it can outlive the panel, and appends
 * to it: cutting it short loses no more than what is cut. `onCut` is called once after each `start`, at the first cut.
 */
export function limitOutput(file: string, onCut: () => void): OutputLimiter {
  let timer: NodeJS.Timeout | null = null;
  let looking = false;
  let reported = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const cut = await trimOutput(file).catch(() => false);
    looking = false;
    if (!cut || reported) return;
    reported = true;
    onCut();
  };
  return {
    start: () => {
      if (timer !== null) return;
      reported = false;
      timer = setInterval(() => void look(), CHECK_MS);
      timer.unref();
    },
    stop: () => {
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
  };
}

/** Cuts a file that is larger than 1 MiB down to its end. Resolves to whether it did. Rejects when there is no such file. */
export async function trimOutput(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size <= MAX_BYTES) return false;
    const end = Buffer.alloc(KEPT_BYTES);
    const { bytesRead } = await handle.read(end, 0, KEPT_BYTES, stats.size - KEPT_BYTES);
    await handle.truncate(0);
    await handle.appendFile(end.subarray(0, bytesRead));
    return true;
  } finally {
    await handle.close();
  }
}
