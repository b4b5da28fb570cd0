import type { CoreInbound } from '../../../lib/core-config.js';
import type { Core } from '../../ports/core.js';

export interface CutParts {
  readonly core: Pick<Core, 'process' | 'users'>;
  /** The connections of so many clients could not be ended one by one. */
  readonly uncut: (clients: number) => void;
  /** Users wait to be looked at again. */
  readonly due: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

interface Place {
  readonly inbound: CoreInbound;
  /** Clients whose connections are being ended. */
  readonly cutting: Set<number>;
}

/** A client that was cut. */
interface Past {
  readonly place: Place;
  /** Bytes received when the counters were read last; null = not since the cut. */
  down: number | null;
  /** How often the client was cut again because it went on to receive. */
  again: number;
}

/** How often a cut is started again when its calls get lost. */
const TRIES = 3;
/** How often a client that still receives bytes is cut again. */
const AGAIN = 2;
/** Of whom it is remembered that they were cut. */
const MOST_PAST = 10_000;

/** The cuts under way. One takes about a second: it runs beside the passes, and its users are looked at again when it is done. */
export class Cuts {
  readonly #parts: CutParts;
  #ended: (readonly [tag: string, client: number])[] = [];
  readonly #past = new Map<number, Past>();

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
    this.#past.clear();
  }

  /** A client may connect again. */
  admit(client: number): void {
    this.#past.delete(client);
  }

  /**
   * Told what the core counts, at each poll: an idle connection may have been overlooked, or a client has changed its
   * port. A client that still receives bytes is cut again, and after that left to a restart.
   */
  observe(counters: ReadonlyMap<number, { readonly down: number }>): void {
    for (const [client, past] of this.#past) {
      const before = past.down;
      const { place } = past;
      if (place.cutting.has(client)) continue;
      past.down = counters.get(client)?.down ?? 0;
      if (before === null || past.down <= before) continue;
      past.again += 1;
      past.down = null;
      if (past.again === AGAIN + 1) this.#parts.uncut(1);
      if (past.again <= AGAIN) {
        place.cutting.add(client);
        this.begin(place, [client]);
      }
    }
  }

  begin(place: Place, clients: readonly number[]): void {
    const { core, uncut, due } = this.#parts;
    const run = core.process.running?.run;
    // A run that is over took its connections with it.
    const goesOn = (): boolean => run !== undefined && core.process.running?.run === run;
    for (const client of clients) this.#remember(client, place);
    void this.#cut(goesOn, place, clients).then((left) => {
      if (left > 0 && goesOn()) uncut(left);
      for (const client of clients) {
        place.cutting.delete(client);
        this.#ended.push([place.inbound.tag, client]);
      }
      due();
    });
  }

  #remember(client: number, place: Place): void {
    if (this.#past.get(client)?.place === place) return;
    this.#past.set(client, { place, down: null, again: 0 });
    const { value: oldest } = this.#past.keys().next();
    if (this.#past.size > MOST_PAST && oldest !== undefined) this.#past.delete(oldest);
  }

  /** Resolves to how many could not be cut. A call that got lost is made again, for as long as the core answers. */
  async #cut(goesOn: () => boolean, { inbound }: Place, clients: readonly number[]): Promise<number> {
    const { core, warn } = this.#parts;
    for (let tries = 1; goesOn(); tries += 1) {
      try {
        return (await core.users.disconnect(inbound, clients)).length;
      } catch (error) {
        if (goesOn()) warn('connections could not be ended', { error: String(error) });
        if (tries === TRIES || !(await core.process.responds())) return clients.length;
      }
    }
    return 0;
  }
}
