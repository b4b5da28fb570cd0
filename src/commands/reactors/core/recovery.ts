import { CoreError, type CoreProcess } from '../../ports/core.js';

/** What to do after a failed pass. */
interface RecoveryPlan {
  /** True: restart the core. False: compare it with the desired configuration. */
  readonly restart: boolean;
  /** Delay before that, ms. */
  readonly afterMs: number;
}

/** Consecutive calls that may get lost while the core still responds. */
const MAX_LOST_CALLS = 3;
/** Pause before another restart, after one that did not help, ms. */
const RESTART_PAUSE_MS = 5_000;

/**
 * Decides how to recover after a failed call. A core that still responds is kept when an answer got lost. A core that
 * has ended, does not respond, or refuses a valid change is restarted.
 */
export class CoreRecovery {
  readonly #process: Pick<CoreProcess, 'responds'>;
  #failures = 0;
  #restarted = false;

  constructor(process: Pick<CoreProcess, 'responds'>) {
    this.#process = process;
  }

  /** A pass succeeded. */
  succeeded(): void {
    this.#failures = 0;
    this.#restarted = false;
  }

  async planAfter(error: unknown): Promise<RecoveryPlan> {
    this.#failures += 1;
    const lost = error instanceof CoreError && error.kind === 'unreachable';
    if (lost && this.#failures <= MAX_LOST_CALLS && (await this.#process.responds()))
      return { restart: false, afterMs: this.#failures * 1_000 };
    const afterMs = this.#restarted ? RESTART_PAUSE_MS : 0;
    this.#restarted = true;
    return { restart: true, afterMs };
  }
}
