import { CoreError, type CoreProcess } from '../../ports/core.js';

/** What follows from a failed pass. */
export interface Remedy {
  /** Whether the core is restarted, or only compared with what was asked of it. */
  readonly restart: boolean;
  /** How long to wait before that, ms. */
  readonly afterMs: number;
}

/** Calls that may get lost one after the other while the core answers other questions. */
const LOST_CALLS = 3;
/** After a start that mended nothing, ms. */
const PAUSE_MS = 5_000;

/**
 * Decides what becomes of a core after a call that should have worked. An answer that got lost is no fault of a core that
 * goes on to answer. One that is gone, silent, or refuses what it should take is restarted.
 */
export class CoreDoubts {
  readonly #process: Pick<CoreProcess, 'responds'>;
  #failures = 0;
  #restarted = false;

  constructor(process: Pick<CoreProcess, 'responds'>) {
    this.#process = process;
  }

  /** A pass went well. */
  over(): void {
    this.#failures = 0;
    this.#restarted = false;
  }

  async remedy(error: unknown): Promise<Remedy> {
    this.#failures += 1;
    const lost = error instanceof CoreError && error.kind === 'unreachable';
    if (lost && this.#failures <= LOST_CALLS && (await this.#process.responds()))
      return { restart: false, afterMs: this.#failures * 1_000 };
    const afterMs = this.#restarted ? PAUSE_MS : 0;
    this.#restarted = true;
    return { restart: true, afterMs };
  }
}
