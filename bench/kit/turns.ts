import { openSync, readSync } from 'node:fs';
import { collect } from './time.js';

const stat = openSync('/proc/thread-self/schedstat', 'r');
const text = Buffer.alloc(96);

/** How long the thread of the loop has had a CPU, in ms. Other processes do not count. */
export function processorTime(): number {
  process.cpuUsage(); // makes the kernel bring the account of this thread up to date
  return Number(text.toString('latin1', 0, readSync(stat, text, 0, text.length, 0)).split(' ')[0]) / 1e6;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Processor time of a piece of work, in ms. */
export interface Turns {
  /** Of the longest turn of the event loop, for which other requests wait. */
  readonly longest: number;
  readonly all: number;
}

/** Runs a piece of work and measures the turns of the event loop that it takes. */
export async function turnsOf(work: () => unknown): Promise<Turns> {
  collect();
  await turn();
  let running = true;
  let longest = 0;
  const start = processorTime();
  let last = start;
  const tick = (): void => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  await turn();
  await turn();
  running = false;
  return { longest, all: processorTime() - start };
}
