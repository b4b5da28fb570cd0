import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sleep } from './time.js';

const preload = pathToFileURL(join(import.meta.dirname, 'loop-watch.mjs')).href;

/** Environment variables that make a panel process report its event loop to `file`. */
export const watching = (file: string) => ({ NODE_OPTIONS: `--import ${preload}`, LOOP_WATCH_FILE: file });

/** Since the last call, in ms. */
export interface Blocks {
  /** The longest time between two turns of the loop. */
  readonly most: number;
  /** The most CPU time between two turns, which excludes waiting for a busy CPU. */
  readonly busiest: number;
}

export async function blocksOf(pid: number, file: string): Promise<Blocks> {
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (let waited = 0; waited < 5000; waited += 10) {
    await sleep(10);
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    if (text !== '') return JSON.parse(text) as Blocks;
  }
  throw new Error('the panel process did not report how long its event loop was blocked');
}

/** The longest time that the loop was blocked since the last call, in ms. */
export async function longestBlock(pid: number, file: string): Promise<number> {
  return (await blocksOf(pid, file)).most;
}
