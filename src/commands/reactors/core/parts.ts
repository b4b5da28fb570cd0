import type { InboundId } from '../../../events/ids.js';
import type { CoreConfig } from '../../../lib/core-config.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Text } from '../../../messages/message.js';
import type { AnyCommand } from '../../catalog.js';
import type { Core } from '../../ports/core.js';

/** The desired configuration, folded from the log. */
interface Desired {
  config(): CoreConfig;
  template(): JsonObject;
  takeChanges(): {
    readonly template: boolean;
    readonly inbounds: ReadonlySet<string>;
    readonly users: ReadonlyMap<string, ReadonlySet<number>>;
  };
}

/** The state of the core in the log. */
interface CoreRecord {
  /** The last run, and whether the core should run. */
  process(): {
    readonly run: string | null;
    readonly state: string;
    readonly error: Text | null;
    readonly wanted: boolean;
  };
  inboundOf(tag: string): InboundId | undefined;
  /** The inbounds that the core refused, with the reasons. */
  refused(): ReadonlyMap<number, Text>;
}

interface CoreCounterReader {
  /** Reads the counters a last time, before a run ends. */
  readLast(): Promise<void>;
  /** Records the traffic of inbounds that lost their tags, before other inbounds are added under these tags. */
  passOn(): Promise<void>;
  /** The inbound whose traffic the running core counts under a tag. */
  ownerOf(tag: string): number | undefined;
}

export interface CoreSyncParts {
  readonly core: Pick<Core, 'process' | 'config' | 'inbounds' | 'users'>;
  readonly desired: Desired;
  readonly dispatch: (command: AnyCommand) => void;
  readonly recorded: CoreRecord;
  readonly counters: CoreCounterReader;
  /** Whether to restart the whole core when connections cannot be closed one by one. */
  readonly restartToDisconnect: () => boolean;
  /** Called when the core rejects the new configuration; it keeps running with the old one. */
  readonly configurationRejected: (why: Text) => void;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}
