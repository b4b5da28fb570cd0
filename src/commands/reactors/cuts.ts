import type { CoreInbound } from '../../lib/core-config.js';
import type { Core } from '../ports/core.js';

export interface CutParts {
  readonly core: Core;
  /** The connections of so many clients could not be ended one by one. */
  readonly uncut: (clients: number) => void;
  /** Users wait to be looked at again. */
  readonly due: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

interface Cut {
  readonly inbound: CoreInbound;
  /** Clients whose connections are being ended. */
  readonly cutting: Set<number>;
}

/** How often a cut is begun whose calls get lost. */
const TRIES = 3;

/** The cuts under way. One takes about a second: it runs beside the passes, and its users are looked at again when it is done. */
export class Cuts {
  readonly #parts: CutParts;
  #ended: (readonly [tag: string, client: number])[] = [];

  constructor(parts: CutParts) {
    this.#parts = parts;
  }

  /** The users whose cut has ended since the last call. */
  takeEnded(): readonly (readonly [tag: string, client: number])[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Nothing runs any more. */
  forget(): void {
    this.#ended = [];
  }

  begin(current: Cut, clients: readonly number[]): void {
    const { core, uncut, due } = this.#parts;
    const run = core.running?.run;
    // A run that is over took its connections with it.
    const goesOn = (): boolean => run !== undefined && core.running?.run === run;
    void this.#cut(goesOn, current, clients).then((left) => {
      if (left > 0 && goesOn()) uncut(left);
      for (const client of clients) {
        current.cutting.delete(client);
        this.#ended.push([current.inbound.tag, client]);
      }
      due();
    });
  }

  /** Resolves to how many could not be cut. A call that got lost is made again, for as long as the core answers. */
  async #cut(goesOn: () => boolean, { inbound }: Cut, clients: readonly number[]): Promise<number> {
    const { core, warn } = this.#parts;
    for (let tries = 1; goesOn(); tries += 1) {
      try {
        return (await core.cut(inbound, clients)).length;
      } catch (error) {
        if (goesOn()) warn('connections could not be ended', { error: String(error) });
        if (tries === TRIES || !(await core.answers())) return clients.length;
      }
    }
    return 0;
  }
}
