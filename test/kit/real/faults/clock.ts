import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { preloaded } from './preloaded.js';

/** The clock of a machine, which a test sets, for a program that is started with `env`. */
export interface FaultyClock {
  readonly env: Readonly<Record<string, string>>;
  /** Sets it to so many seconds after the real time, or before it. */
  step(seconds: number): void;
  remove(): void;
}

/** Null where there is no C compiler. */
export function faultyClock(): FaultyClock | null {
  const made = preloaded('clock');
  if (made === null) return null;
  const file = join(made.folder, 'step');
  return {
    env: { LD_PRELOAD: made.library, CLOCK_STEP: file },
    step: (seconds) => writeFileSync(file, String(seconds)),
    remove: made.remove,
  };
}
