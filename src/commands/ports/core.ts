import type { Observable } from 'rxjs';
import type { CounterTable } from '../../events/traffic/counter-table.js';
import type { Counter } from '../../events/traffic/counters.js';
import type { CoreConfig, CoreInbound, CoreUser } from '../../lib/core-config.js';
import type { JsonObject } from '../../lib/json.js';
import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';
import type { CoreMetrics } from './gauges.js';
import type { CoreKeys } from './keys.js';

export type { CoreConfig, CoreInbound, CoreUser } from '../../lib/core-config.js';

/** One run of a core process. Its counters start at zero. */
export interface CoreRun {
  readonly run: string;
  readonly version: string;
  readonly pid: number;
}

/** Bytes since the run began. Clients are keyed by their number, even if they were renamed or deleted since. */
export interface CoreCounters {
  readonly clients: CounterTable;
  /** By tag. */
  readonly inbounds: ReadonlyMap<string, Counter>;
  /** By tag. */
  readonly outbounds: ReadonlyMap<string, Counter>;
}

export interface OnlineUser {
  /** Its number. */
  readonly client: number;
  readonly ips: readonly { readonly ip: string /** ms */; readonly at: number }[];
}

export interface CoreExit {
  readonly run: string;
  /** The last error that the core printed, or the signal that ended it. */
  readonly reason: Text;
  /** True when the core refused its configuration, so that a retry would fail too. */
  readonly configuration: boolean;
}

/** Why a core refuses an inbound. */
export interface InboundProblem {
  readonly reason: Text;
  /** The inbound crashes or hangs the core, so it must not be tried in a core that serves clients. */
  readonly crashes: boolean;
}

/** The addresses from which a client may not use an inbound. */
export interface BlockedAddresses {
  /** Its number. */
  readonly client: number;
  /** The tag of its inbound. */
  readonly inbound: string;
  /** In the form of `addressKey`. */
  readonly addresses: readonly string[];
}

/** Clients that count as one person, and the addresses they use. */
export interface PersonAddresses {
  /** The key under which the result lists them. */
  readonly person: string;
  /** Their numbers. */
  readonly clients: readonly number[];
  /** In the form of `addressKey`. */
  readonly addresses: readonly string[];
}

/** An account that runs in the core. */
export interface RunningAccount {
  /** The client's email when the account was added. */
  readonly email: string;
  /** Equals `CoreUsers.digest` of the same account under the same email. */
  readonly digest: string;
}

/** The core process. One caller at a time: the core reactor. */
export interface CoreProcess {
  /** The run that is up now, or null. */
  readonly running: CoreRun | null;
  /** A run ended that was not stopped. */
  readonly exited$: Observable<CoreExit>;
  /** Tests, writes and starts; resolves when the core answers its API. Rejects with `CoreError`; then nothing runs. */
  start(config: CoreConfig): Promise<CoreRun>;
  /** Takes over a core that an earlier panel process left running, or resolves to null. Ends one that cannot be used. */
  adopt(): Promise<CoreRun | null>;
  /** SIGTERM, then SIGKILL after 5 s. Does nothing when no core runs. */
  stop(): Promise<void>;
  /** Detaches from a running core without stopping it, so that the next panel process can adopt it. */
  release(): Promise<void>;
  /**
   * Whether the running core still answers: sends several requests, with pauses. False when no core runs, when its process
   * has ended, or when every request times out while this process is not busy. Never rejects.
   */
  responds(): Promise<boolean>;
  /**
   * Adds the inbounds one by one to a core that serves no clients, and resolves to those that it refuses, by tag. Stops
   * the running core; afterwards none runs. Rejects with `CoreError` when a core without inbounds does not start either.
   */
  trialInbounds(config: CoreConfig): Promise<ReadonlyMap<string, InboundProblem>>;
  /** The template that the running core was started with, or null when unknown. */
  appliedTemplate(): JsonObject | null;
  /** The last lines that the core printed, without its normal start-up lines. */
  output(): string;
}

/** The executable of the core. */
export interface CoreBinary {
  /** Its version, or null when there is no executable; never rejects. */
  version(): Promise<string | null>;
  /** Uses this executable from the next start; null = there is none. */
  use(binary: string | null): void;
  /** Asks another executable for its version, and tests the configuration with it. Rejects as `CoreConfigCheck.test` does. */
  trial(binary: string, config: CoreConfig): Promise<string | null>;
}

/** Assembles and tests configurations without touching the running core. */
export interface CoreConfigCheck {
  /**
   * Tests the configuration with the executable. Starts nothing. Rejects with `CoreError` 'invalid'; 'missing' when there
   * is no executable; 'refused' or 'unreachable' when the executable does not run or does not answer.
   */
  test(config: CoreConfig): Promise<void>;
  /** As `test`, for a new template: also starts a core with it and without inbounds, and ends that core at once. */
  testTemplate(config: CoreConfig): Promise<void>;
  /** As `test`, for one inbound on its own. */
  testInbound(inbound: CoreInbound): Promise<void>;
  /** The whole configuration as `start` would write it, with plain emails. Throws `CoreError` 'invalid' for a template that is not allowed. */
  assemble(config: CoreConfig): JsonObject;
  /** The settings of a valid template that the panel ignores or replaces, a text for each. Pure. */
  ignoredSettings(template: JsonObject): readonly Text[];
}

/** The inbounds of the running core. All methods but `applied` reject with `CoreError` 'not-running' when no core runs. */
export interface CoreInbounds {
  /**
   * Adds inbounds; other connections stay up. Resolves to those that the core refuses, by tag, each with the reason; a
   * refused inbound leaves nothing behind. After a rejection with 'unreachable' it is unknown which of them run.
   */
  add(inbounds: readonly CoreInbound[]): Promise<ReadonlyMap<string, CoreError>>;
  /** Idempotent. Closes the connections of the inbound too. */
  remove(inbound: CoreInbound): Promise<void>;
  /** Tags of the running inbounds, without the adapter's own. */
  tags(): Promise<readonly string[]>;
  /** The inbounds as they were last applied, by tag, as far as the adapter knows (it remembers across adoption). */
  applied(): ReadonlyMap<string, JsonObject>;
}

/** The accounts of the running core. All methods but `digest` reject with `CoreError` 'not-running' when no core runs. */
export interface CoreUsers {
  /** Replaces an account of the same name. A renamed client must be removed under its previous email first. */
  add(inbound: CoreInbound, user: CoreUser): Promise<void>;
  /** Idempotent. `user`: as it was added. Closes no connection: see `disconnect`. */
  remove(inbound: CoreInbound, user: Pick<CoreUser, 'client' | 'email'>): Promise<void>;
  /**
   * Closes the live connections of clients whose accounts were removed, under any previous email, and no others. Resolves to
   * the clients that could not be disconnected (no permission to destroy sockets, no tool): they need a restart of the core.
   */
  disconnect(inbound: CoreInbound, clients: readonly number[]): Promise<readonly number[]>;
  /** Clients that used the inbound in this run, according to the core's log: they may have open connections. */
  seen(inbound: CoreInbound): Promise<readonly number[]>;
  /** The accounts that run in an inbound, by client number. Accounts that the panel did not add are removed. */
  list(inbound: CoreInbound): Promise<ReadonlyMap<number, RunningAccount>>;
  digest(inbound: CoreInbound, user: CoreUser): string;
}

/** Blocks clients from single IP addresses in the running core. All methods reject with `CoreError` 'not-running' when no core runs. */
export interface AddressControl {
  /**
   * Blocks exactly these clients on these inbounds from these addresses, and lifts all earlier blocks. Other clients
   * behind the same address are not affected. Idempotent. Closes no connection: see `disconnect`.
   */
  block(blocked: readonly BlockedAddresses[]): Promise<void>;
  /**
   * Closes live connections of these clients from these addresses, as far as the system allows. `last`: also blocks whole
   * UDP flows, so that the client app must reconnect. Resolves to false when some of them are still open: no permission to
   * destroy sockets or block flows, no tool.
   */
  disconnect(blocked: readonly BlockedAddresses[], last: boolean): Promise<boolean>;
  /**
   * Resolves to a lookup of the time since data last came from an address of a person, ms: a phone that went offline leaves
   * connections behind. Behind a proxy it is the traffic between the core and the destination. Null when unknown, such as over UDP.
   */
  idleTimes(people: readonly PersonAddresses[]): Promise<(person: string, address: string) => number | null>;
}

/** What the running core measures. */
export interface CoreStats {
  /** All counters of this run, read without resetting them. */
  counters(): Promise<CoreCounters>;
  /** Clients with at least one live connection, with the addresses they connect from. */
  online(): Promise<readonly OnlineUser[]>;
  readonly metrics: CoreMetrics;
}

/** The ports of one core. A consumer takes those that it needs. */
export interface Core {
  readonly process: CoreProcess;
  readonly binary: CoreBinary;
  readonly config: CoreConfigCheck;
  readonly inbounds: CoreInbounds;
  readonly users: CoreUsers;
  readonly addresses: AddressControl;
  readonly stats: CoreStats;
  readonly keys: CoreKeys;
}

/** The only error that leaves `src/adapters/core`. Its text contains no secret and no file content. */
export class CoreError extends MessageError {
  override readonly name = 'CoreError';
  readonly kind: 'missing' | 'invalid' | 'not-running' | 'refused' | 'unreachable';
  /** The tag of the inbound that the core's error names, or null. */
  readonly inbound: string | null;

  constructor(kind: CoreError['kind'], text: Text, options: ErrorOptions & { readonly inbound?: string | null } = {}) {
    super(text, options);
    this.kind = kind;
    this.inbound = options.inbound ?? null;
  }
}
