import type { Observable } from 'rxjs';
import type { Counter } from '../../events/counters.js';
import type { CoreConfig, CoreInbound, CoreUser } from '../../lib/core-config.js';
import type { JsonObject } from '../../lib/json.js';
import type { CoreMetrics } from './gauges.js';
import type { CoreKeys } from './keys.js';

export type { CoreConfig, CoreInbound, CoreUser } from '../../lib/core-config.js';

/** One life of a core process. Its counters begin at zero. */
export interface CoreRun {
  readonly run: string;
  readonly version: string;
  readonly pid: number;
}

/** Bytes since the run began. Clients are known by their number, also when they were renamed or deleted since. */
export interface CoreCounters {
  readonly clients: ReadonlyMap<number, Counter>;
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
  /** A sentence for people: the last error that the core printed, or the signal that ended it. */
  readonly reason: string;
  /** True when the core refused its configuration: trying again is of no use. */
  readonly configuration: boolean;
}

/** Why a core does not take an inbound. */
export interface CoreFlaw {
  readonly reason: string;
  /** It ends the core, or holds it: to try that in a core that serves others would end them too. */
  readonly breaks: boolean;
}

/** What a client may not use an inbound from. */
export interface HeldAddresses {
  /** Its number. */
  readonly client: number;
  /** The tag of its inbound. */
  readonly inbound: string;
  /** As `addressKey` has them. */
  readonly addresses: readonly string[];
}

/** Clients that count as one person, and addresses that they use. */
export interface PersonAddresses {
  /** By which the answer knows them. */
  readonly person: string;
  /** Their numbers. */
  readonly clients: readonly number[];
  /** As `addressKey` has them. */
  readonly addresses: readonly string[];
}

/** An account that runs in the core. */
export interface RunningAccount {
  /** What the client was called when the account was added. */
  readonly email: string;
  /** Equals `accountDigest` of the same account under the same email. */
  readonly digest: string;
}

/** What the core process is asked for, in the panel's words. One caller at a time: the core reactor. */
export interface Core {
  /** Version of the binary, or null when there is none; never rejects. */
  version(): Promise<string | null>;
  /**
   * Asks the binary whether it takes this configuration. Starts nothing. Rejects with `CoreError` 'invalid'; 'missing' when
   * there is no binary; 'refused' or 'unreachable' when there is one that does not run or gives no answer.
   */
  test(config: CoreConfig): Promise<void>;
  /**
   * As `test`, for a template that is new: a core with it and without inbounds must come up too, and is ended at once. The
   * core that runs is not touched.
   */
  testTemplate(config: CoreConfig): Promise<void>;
  /** From the next start on the core is this executable; null = there is none. */
  use(binary: string | null): void;
  /** Asks another executable which version it is, and whether it takes this configuration. Rejects as `test` does. */
  trial(binary: string, config: CoreConfig): Promise<string | null>;
  /** As `test`, for one inbound on its own. */
  testInbound(inbound: CoreInbound): Promise<void>;
  /** Tests, writes and starts; resolves when the core answers its API. Rejects with `CoreError`; then nothing runs. */
  start(config: CoreConfig): Promise<CoreRun>;
  /**
   * Tries the inbounds one by one in a core that serves nobody, and resolves to those that it does not take, by tag. Ends
   * what runs; afterwards nothing runs. Rejects with `CoreError` where a core does not come up without any inbound either.
   */
  judge(config: CoreConfig): Promise<ReadonlyMap<string, CoreFlaw>>;
  /** Takes over a core that an earlier panel process left running, or resolves null. Kills one that cannot be used. */
  adopt(): Promise<CoreRun | null>;
  /** SIGTERM, then SIGKILL after 5 s. A success when nothing runs. */
  stop(): Promise<void>;
  /** Lets go of a running core without stopping it, so that the next panel process can adopt it. */
  release(): Promise<void>;
  /** The run that is up now, or null. */
  readonly running: CoreRun | null;
  /**
   * Whether the core that runs still answers: asks several times, with pauses. False when none runs, when its process is
   * gone, or when it leaves all questions without an answer while this process is free to listen. Never rejects.
   */
  answers(): Promise<boolean>;
  /** A run ended without being asked to. */
  readonly exited$: Observable<CoreExit>;

  /**
   * Hot: other connections stay up. Resolves to those that the core does not take, by tag, each with the reason; they leave
   * nothing behind. Rejects with `CoreError` 'unreachable' or 'not-running'; then nobody knows which of them run.
   */
  addInbounds(inbounds: readonly CoreInbound[]): Promise<ReadonlyMap<string, CoreError>>;
  /** Hot and idempotent. Ends the connections of the inbound too. */
  removeInbound(inbound: CoreInbound): Promise<void>;
  /** Hot. Replaces an account of the same name. A client that is renamed is removed under its former email first. */
  addUser(inbound: CoreInbound, user: CoreUser): Promise<void>;
  /** Hot and idempotent. `user`: as it was added. Ends nothing: see `cut`. */
  removeUser(inbound: CoreInbound, user: Pick<CoreUser, 'client' | 'email'>): Promise<void>;
  /**
   * Ends the live connections of clients whose accounts were removed, whatever they were called, and of nobody else.
   * Resolves to the clients that could not be cut that way (no right to destroy sockets, no tool): for them only a
   * restart helps.
   */
  cut(inbound: CoreInbound, clients: readonly number[]): Promise<readonly number[]>;
  /**
   * Refuses what these clients ask for through this inbound from these addresses, and nothing else, whatever was refused
   * before: other clients behind an address are not concerned. Hot and idempotent. Ends nothing: see `cutAddresses`.
   */
  hold(held: readonly HeldAddresses[]): Promise<void>;
  /**
   * Ends live connections of these clients from these addresses, as far as the system lets it. `last`: also whole UDP flows,
   * so that the client's app has to connect again. Resolves to false when some of them are still open: no right to
   * destroy sockets or block flows, no tool.
   */
  cutAddresses(held: readonly HeldAddresses[], last: boolean): Promise<boolean>;
  /**
   * Tells for how long nothing came from an address of a person, ms: a phone that went away leaves connections behind.
   * Behind a proxy it is what moves between the core and the far end. Null where nobody knows, such as over UDP.
   */
  silence(asked: readonly PersonAddresses[]): Promise<(person: string, address: string) => number | null>;

  /** Tags of the inbounds that run, without the adapter's own. */
  inboundTags(): Promise<readonly string[]>;
  /** The accounts that run in an inbound, by client number. Accounts that the panel did not add are removed. */
  users(inbound: CoreInbound): Promise<ReadonlyMap<number, RunningAccount>>;
  accountDigest(inbound: CoreInbound, user: CoreUser): string;
  /** The inbounds as they were last applied, by tag, as far as the adapter knows (it remembers across adoption). */
  appliedInbounds(): ReadonlyMap<string, JsonObject>;
  /** The template as it was last applied, or null when unknown. */
  appliedTemplate(): JsonObject | null;

  /** All counters of this run, read without resetting them. */
  counters(): Promise<CoreCounters>;
  /** Clients with at least one live connection, with the addresses they come from. */
  online(): Promise<readonly OnlineUser[]>;
  /** The whole configuration as `start` would write it, with the emails as people know them. Throws `CoreError` 'invalid' for a template that is not allowed. */
  assemble(config: CoreConfig): JsonObject;
  /** What a template that `assemble` takes says in vain, a sentence for each. Pure. */
  passedOver(template: JsonObject): readonly string[];
  /** The last lines that the core printed; empty when it runs without complaint. */
  output(): string;
  /** A new X25519 pair, base64url without padding, as REALITY wants it. */
  x25519(): { readonly privateKey: string; readonly publicKey: string };
  readonly keys: CoreKeys;
  readonly metrics: CoreMetrics;
}

/** The one error that leaves `src/adapters/core`. `message` is for people and holds no secret and no file content. */
export class CoreError extends Error {
  override readonly name = 'CoreError';
  readonly kind: 'missing' | 'invalid' | 'not-running' | 'refused' | 'unreachable';
  /** The tag of the inbound that the core complains about, if it names one. */
  readonly inbound: string | null;

  constructor(
    kind: CoreError['kind'],
    message: string,
    options: ErrorOptions & { readonly inbound?: string | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.inbound = options.inbound ?? null;
  }
}
