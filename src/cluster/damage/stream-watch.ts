import { type BatchStream, type StreamFault, StreamMissing } from '../../commands/ports/cluster.js';
import { DAMAGED, faultIn } from './stream-fault.js';

/** How often in a row a fault must be seen: a server that is cut off may answer once more with what it has. */
const SIGHTINGS = 3;

interface Parts {
  readonly stream: Pick<BatchStream, 'ends'>;
  readonly warn: (message: string, fields?: object) => void;
}

/** Notices a stream that was deleted, or that has lost messages, while a member runs. */
export class StreamWatch {
  readonly #parts: Parts;
  #seen = 0;
  #fault: StreamFault | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get fault(): StreamFault | null {
    return this.#fault;
  }

  /** A fault that was noticed elsewhere. It stays until `check` finds the stream sound. */
  report(fault: StreamFault): void {
    if (this.#fault === null) this.#parts.warn(DAMAGED, { fault });
    this.#fault = fault;
  }

  /**
   * Looks at the stream. `known`: the last sequence that this member has had from it. Resolves to whether a damaged stream was
   * rebuilt. Rejects with `ClusterAway`.
   */
  async check(known: number): Promise<boolean> {
    const fault = await this.#look(known);
    this.#seen = fault === null ? 0 : this.#seen + 1;
    if (fault === null) return this.#fault !== null;
    if (this.#seen >= SIGHTINGS) this.report(fault);
    return false;
  }

  async #look(known: number): Promise<StreamFault | null> {
    try {
      // A rebuilt stream begins with other sequences.
      return faultIn(await this.#parts.stream.ends(), this.#fault === null ? known : 0);
    } catch (error) {
      if (error instanceof StreamMissing) return 'missing';
      throw error;
    }
  }
}
