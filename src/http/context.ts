import type { Done } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { Core } from '../commands/ports/core.js';
import type { HostMonitor } from '../commands/ports/host.js';
import type { Passwords } from '../commands/ports/passwords.js';
import type { Rejection } from '../commands/rejection.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Actor } from '../events/event.js';
import type { ReadModels } from '../projections/read-models.js';

/** What the edges may use; the composition root makes it once. */
export interface HttpParts {
  readonly read: ReadModels;
  readonly core: Core;
  readonly host: HostMonitor;
  readonly passwords: Passwords;
  readonly now: () => number;
  readonly version: string;
  /** Resolves when the core reactor has taken in everything that was appended before the call, or after `ms`. */
  readonly coreSettled: (ms: number) => Promise<void>;
  /** The next event of one of these types after `position`, or null after `ms`. */
  readonly outcome: (
    position: number,
    types: readonly RecordedEvent['type'][],
    ms: number,
  ) => Promise<RecordedEvent | null>;
  /** Why a port cannot be bound, by a real bind; null when it can. */
  readonly portFlaw: (
    listen: string,
    port: number,
    udp: boolean,
  ) => Promise<'taken' | 'forbidden' | 'no such address' | null>;
  /** The port that the subscription server has, which a flag may have chosen. */
  readonly subPort: () => number;
  /**
   * Why the core must not see these files: they cannot be read, are not a certificate and a key, or do not belong
   * together. Null when they do. The sentence never shows what is in a file. An empty path = that half is not named.
   */
  readonly certificateFlaw: (certificateFile: string, keyFile: string) => Promise<string | null>;
}

/** One request, as a handler sees it. */
export interface HttpContext extends HttpParts {
  readonly actor: Actor;
  /** The id of the logged-in user; for the Bearer token the first user. */
  readonly userId: number;
  /** Host of the request without its port, forwarded only by a trusted proxy. For links. */
  readonly requestHost: string;
  readonly secure: boolean;
  /** Decides and appends in the name of the caller, with its correlation and `Idempotency-Key`. */
  readonly dispatch: (command: AnyCommand) => Done | Rejection;
  /** What `dispatch` would refuse, without doing it: asked before slow questions to the machine and the core. */
  readonly refusalOf: (command: AnyCommand) => Rejection | null;
}

/** An outcome that is a sentence, not an object: the envelope's `msg`. */
export class Message {
  readonly text: string;
  readonly obj: unknown;

  constructor(text: string, obj: unknown = null) {
    this.text = text;
    this.obj = obj;
  }
}
