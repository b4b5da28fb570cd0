import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readSpare } from './files.js';

const States = z.array(z.object({ pid: z.int().nullable(), state: z.string() }));
type FollowerStates = Readonly<z.output<typeof States>>;

const fileIn = (run: string): string => join(run, 'followers.json');

/**
 * Writes the states of the processes that answer subscriptions beside the panel, for the command line. On a full or failing
 * disk it only warns: the former states stay.
 */
export function writeFollowerStates(
  run: string,
  states: FollowerStates,
  log: { warn(fields: object, message: string): void },
): void {
  try {
    writeFileSync(fileIn(run), JSON.stringify(states), { mode: 0o600 });
  } catch (err) {
    log.warn({ err }, 'the states of the followers were not written');
  }
}

/** Empty when none of them runs, also after the panel was killed. */
export function readFollowerStates(run: string): FollowerStates {
  try {
    const states = States.parse(JSON.parse(readSpare(fileIn(run))?.toString() ?? '[]'));
    return states.some(({ pid }) => pid !== null && existsSync(`/proc/${pid}`)) ? states : [];
  } catch {
    return []; // incomplete after a power cut
  }
}
