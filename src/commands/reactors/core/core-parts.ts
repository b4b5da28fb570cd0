import type { InboundId } from '../../../events/ids.js';
import type { CoreConfig } from '../../../lib/core-config.js';
import type { JsonObject } from '../../../lib/json.js';
import type { AnyCommand } from '../../catalog.js';
import type { Core } from '../../ports/core.js';

/** The configuration that the log asks for, as the reactor reads it. */
export interface Desired {
  config(): CoreConfig;
  template(): JsonObject;
  takeChanges(): {
    readonly template: boolean;
    readonly inbounds: ReadonlySet<string>;
    readonly users: ReadonlyMap<string, ReadonlySet<number>>;
  };
}

export interface CoreSyncParts {
  readonly core: Core;
  readonly desired: Desired;
  readonly dispatch: (command: AnyCommand) => void;
  /** Whether the core shall run at all. */
  readonly wanted: () => boolean;
  /** The run and the state that the log knows of. */
  readonly known: () => { readonly run: string | null; readonly state: string; readonly error: string };
  readonly inboundOf: (tag: string) => InboundId | undefined;
  /** The inbounds of which the log says that the core does not take them. */
  readonly refused: () => ReadonlyMap<number, string>;
  /** Whether connections that cannot be ended one by one are worth a restart of the whole core. */
  readonly restartToCut: () => boolean;
  /** One more reading of the counters, before a run ends. */
  readonly lastPoll: () => Promise<void>;
  /** Inbounds that left their tags run no more: books what they moved before others are added under these tags. */
  readonly passOn: () => Promise<void>;
  /** The inbound whose bytes the running core counts under a tag. */
  readonly counterOwner: (tag: string) => number | undefined;
  /** The running core goes on with its old configuration, because it does not take the new one. */
  readonly kept: (why: string) => void;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}
