import { fileURLToPath } from 'node:url';

/** A moment in the life of a process: a file comes to a place, as the last step of whatever made it. */
export interface Moment {
  /** `full`: the rename fails with a full disk instead, and the process continues. */
  readonly when: 'before' | 'after' | 'full';
  /** The end of the path of that place. */
  readonly to: string;
  /** Only if the file holds this. */
  readonly holding?: string;
}

/** Environment of a process of Node that is killed at a moment. */
export function killedAt(moment: Moment): Record<string, string> {
  const preload = fileURLToPath(new URL('./kill-at.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import=${preload}`, KIT_KILL_AT: JSON.stringify(moment) };
}
