import { Tinypool } from 'tinypool';
import { programFile, programOptions } from '../../installation/installation.js';

/** Without work, in ms. */
const IDLE_MS = 60_000;
const MAX_HEAP_MB = 768;

interface Options<T> {
  /** For one task and all that wait before it, in ms. Then the thread ends, and with it all of its tasks. */
  readonly ms: number;
  /** What is moved instead of copied. */
  readonly transfer?: (task: T) => readonly ArrayBuffer[];
}

/** Runs tasks one at a time in a thread that starts with the first task and ends when it is idle. */
export class Thread<T, R> {
  readonly #worker: string;
  readonly #options: Options<T>;
  #pool: Tinypool | null = null;

  /** `worker`: the path in `src` of a module that exports `run(task)`, without an extension. */
  constructor(worker: string, options: Options<T>) {
    this.#worker = worker;
    this.#options = options;
  }

  /** Rejects with a `TimeoutError` when it takes too long, else with what `run` throws or with what ended the thread. */
  async run(task: T): Promise<R> {
    const { ms, transfer } = this.#options;
    const signal = AbortSignal.timeout(ms);
    try {
      return (await this.#started().run(task, {
        name: 'run',
        signal,
        transferList: [...(transfer?.(task) ?? [])],
      })) as R;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.destroy();
  }

  #started(): Tinypool {
    return (this.#pool ??= new Tinypool({
      filename: programFile(this.#worker).href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      ...(programOptions.length > 0 ? { execArgv: [...programOptions] } : {}),
    }));
  }
}
