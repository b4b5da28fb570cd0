import type { NodeId } from '../../events/ids.js';
import type { DesiredClient, DesiredInbound } from '../../events/node/desired-state.js';
import type { NodeSpec } from '../../events/node/node.js';
import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';

/** Where a remote panel is, and what it lets us in by. */
export interface NodeAddress extends Pick<NodeSpec, 'scheme' | 'host' | 'port' | 'basePath' | 'allowPrivateAddress'> {
  /** Bearer; empty = none is sent. */
  readonly token: string;
}

/** Where a path of a node's API is. */
export function nodeUrl({ scheme, host, port, basePath }: Omit<NodeAddress, 'token'>, path = ''): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}${path}`;
}

/** What a panel says of itself when it is probed. */
export interface NodeReading {
  readonly kind: 'portolan' | '3x-ui';
  /** The lasting name of a panel of ours; empty for 3x-ui. */
  readonly panelId: string;
  /** Percent, 0 to 100. */
  readonly cpu: number;
  readonly mem: number;
  readonly coreVersion: string;
  /** Of its machine, in whole seconds. */
  readonly uptimeSecs: number;
  /** From the question to the last byte of the answer. */
  readonly latencyMs: number;
}

/** A counter as a node says it. NaN where that is no number. */
export interface SeenCounter {
  readonly up: number;
  readonly down: number;
  /** Bytes of all time, which no reset touches; 0 where the panel does not keep it. */
  readonly allTime: number;
}

/** The clients of a listed inbound, a column for each member: ten thousand objects would be dear to hand over. */
export interface ListedClients {
  readonly emails: readonly string[];
  /** What names each in the paths of the API. */
  readonly keys: readonly string[];
  readonly digests: readonly string[];
  /** What lets each in. */
  readonly credentials: readonly string[];
  /** The number that we gave it; 0 = it is not from us, for all that our log knows; -1 = it is from another centre. */
  readonly marks: readonly number[];
  /** The JSON of each. */
  readonly raws: readonly string[];
  readonly up: Float64Array;
  readonly down: Float64Array;
  readonly allTime: Float64Array;
  /** ms since 1970; 0 = never, or not said. */
  readonly lastOnline: Float64Array;
  /** 1 = the panel has a counter for it. */
  readonly counted: Uint8Array;
  /** 1 = the panel lets it connect, by its own count of its bytes and days. */
  readonly open: Uint8Array;
}

export interface ListedInbound {
  readonly id: number;
  readonly tag: string;
  readonly protocol: string;
  readonly port: number;
  readonly enabled: boolean;
  readonly digest: string;
  /** The number of the inbound that we gave it; 0 = it is not from us, as above; -1 = it is from another centre; -2 = that was so. */
  readonly mark: number;
  readonly counter: SeenCounter;
  readonly clients: ListedClients;
}

/** What a remote panel has. */
export interface NodeListing {
  readonly inbounds: readonly ListedInbound[];
  /** Tags of inbounds that could not be understood. */
  readonly unreadable: readonly string[];
}

/** Where a request goes. */
export interface RequestTarget extends NodeAddress {
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** A change of an inbound that is on a remote panel. */
export type RemoteChange =
  | { readonly do: 'remove' | 'resetInbound' }
  | { readonly do: 'setEnabled'; readonly enabled: boolean }
  | { readonly do: 'addClients'; readonly clients: readonly DesiredClient[] }
  /** `key`: as the panel lists it. */
  | { readonly do: 'updateClient'; readonly key: string; readonly client: Pick<DesiredClient, 'text'> }
  /** A reset sets the counters of the client to zero there, and lets it connect again. */
  | { readonly do: 'deleteClient' | 'resetClient'; readonly email: string };

/**
 * The API of a remote panel. Every method rejects with `NodeError` and takes at most 10 s (a probe 4 s; a listing, an
 * update and a restart 30 s). `remote` is the id that the panel gave to an inbound.
 */
export interface RemotePanel {
  /** Reads the status of the panel. */
  probe(node: RequestTarget): Promise<NodeReading>;
  listing(node: RequestTarget & { readonly id: NodeId }): Promise<NodeListing>;
  /** Emails of the clients that are connected. */
  onlines(node: RequestTarget): Promise<readonly string[]>;
  /** Addresses from which a client connected, newest first. */
  clientIps(node: RequestTarget, email: string): Promise<readonly string[]>;
  /** Resolves to the id and the tag that the inbound got. */
  add(node: RequestTarget, inbound: DesiredInbound): Promise<{ readonly remote: number; readonly tag: string }>;
  /** Replaces the inbound and all of its clients; `strangers` are JSON texts of clients that stay as they are. */
  update(node: RequestTarget, remote: number, inbound: DesiredInbound, strangers: readonly string[]): Promise<void>;
  change(node: RequestTarget, remote: number, change: RemoteChange): Promise<void>;
  /** Ends every connection through the node. */
  restartCore(node: RequestTarget): Promise<void>;
}

/**
 * A request to a remote panel that failed. The text never contains the token, a header, or more than one line of the
 * panel's own message.
 *
 * - `refused`: the address is private, and the node may not be; no packet was sent
 * - `unreachable`, `timeout`, `certificate`: no whole answer came
 * - `status`: an HTTP status other than 200; a redirect is one, and is not followed
 * - `too-large`: more bytes than were asked for, after decompression
 * - `not-an-envelope`: 200, and not the answer of a panel
 * - `said-no`: the panel understood and declined
 */
export class NodeError extends MessageError {
  override readonly name = 'NodeError';
  readonly kind:
    | 'refused'
    | 'unreachable'
    | 'timeout'
    | 'certificate'
    | 'status'
    | 'too-large'
    | 'not-an-envelope'
    | 'said-no';
  /** Of kind 'status': what the server answered; 0 otherwise. */
  readonly status: number;

  constructor(kind: NodeError['kind'], text: Text, options: ErrorOptions & { readonly status?: number } = {}) {
    super(text, options);
    this.kind = kind;
    this.status = options.status ?? 0;
  }
}
