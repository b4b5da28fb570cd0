import type { NodeId } from '../../events/ids.js';
import type { DesiredClient, DesiredInbound } from '../../events/node/desired-state.js';
import type { NodeSpec } from '../../events/node/node.js';
import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';

/** The address of a remote panel and its API token. */
export interface NodeAddress extends Pick<NodeSpec, 'scheme' | 'host' | 'port' | 'basePath' | 'allowPrivateAddress'> {
  /** Bearer token; empty = none is sent. */
  readonly token: string;
}

/** The URL of a path of a node's API. */
export function nodeUrl({ scheme, host, port, basePath }: Omit<NodeAddress, 'token'>, path = ''): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}${path}`;
}

/** The status of a panel. */
export interface NodeReading {
  readonly kind: 'portolan' | '3x-ui';
  /** The panel id of a Portolan; empty for a 3x-ui. */
  readonly panelId: string;
  /** Percent, 0 to 100. */
  readonly cpu: number;
  readonly mem: number;
  readonly coreVersion: string;
  /** Uptime of its machine, in whole seconds. */
  readonly uptimeSecs: number;
  /** From the request to the last byte of the reply. */
  readonly latencyMs: number;
}

/** A counter as a node reports it. NaN when it is missing. */
export interface SeenCounter {
  readonly up: number;
  readonly down: number;
  /** Bytes of all time, which no reset changes; 0 when the panel does not count them. */
  readonly allTime: number;
}

/** The clients of a listed inbound, in columns, which are cheap to send between threads. */
export interface ListedClients {
  readonly emails: readonly string[];
  /** The identifier of each in the paths of the API. */
  readonly keys: readonly string[];
  readonly digests: readonly string[];
  readonly credentials: readonly string[];
  /** The number of our client; 0 = it is not ours according to the log; -1 = another centre created it. */
  readonly marks: readonly number[];
  /** The JSON of each. */
  readonly raws: readonly string[];
  readonly up: Float64Array;
  readonly down: Float64Array;
  readonly allTime: Float64Array;
  /** ms since 1970; 0 = never or unknown. */
  readonly lastOnline: Float64Array;
  /** 1 = the panel has a counter for the client. */
  readonly counted: Uint8Array;
  /** 1 = the client may connect, according to the panel's own counters and clock. */
  readonly open: Uint8Array;
}

export interface ListedInbound {
  readonly id: number;
  readonly tag: string;
  readonly protocol: string;
  readonly port: number;
  readonly enabled: boolean;
  readonly digest: string;
  /** The number of our inbound; 0 = it is not ours; -1 = another centre created it; -2 = adopted from the previous centre. */
  readonly mark: number;
  readonly counter: SeenCounter;
  readonly clients: ListedClients;
}

/** The inbounds of a remote panel. */
export interface NodeListing {
  readonly inbounds: readonly ListedInbound[];
  /** Tags of inbounds whose settings could not be parsed. */
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
  /** A reset sets the counters of the client on the node to zero and enables it again. */
  | { readonly do: 'deleteClient' | 'resetClient'; readonly email: string };

/**
 * The API of a remote panel. Every method rejects with `NodeError` and takes at most 10 s (a probe 4 s; a listing, an
 * update and a restart 30 s). `remote`: the id of an inbound on the panel.
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
  /** Replaces the inbound and all of its clients; `foreignClients`: JSON of clients that stay as they are. */
  update(
    node: RequestTarget,
    remote: number,
    inbound: DesiredInbound,
    foreignClients: readonly string[],
  ): Promise<void>;
  change(node: RequestTarget, remote: number, change: RemoteChange): Promise<void>;
  /** Ends every connection through the node. */
  restartCore(node: RequestTarget): Promise<void>;
}

/**
 * A request to a remote panel that failed. The text never contains the token, a header, or more than one line of the
 * panel's own message.
 *
 * - `refused`: the address is private and not allowed for the node; no packet was sent
 * - `unreachable`, `timeout`, `certificate`: there was no complete reply
 * - `status`: an HTTP status other than 200, also a redirect, which is not followed
 * - `too-large`: the reply exceeds the limit after decompression
 * - `invalid-reply`: status 200, but not the reply of a panel
 * - `declined`: the panel declined the request
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
    | 'invalid-reply'
    | 'declined';
  /** Of kind 'status': the HTTP status; 0 otherwise. */
  readonly status: number;

  constructor(kind: NodeError['kind'], text: Text, options: ErrorOptions & { readonly status?: number } = {}) {
    super(text, options);
    this.kind = kind;
    this.status = options.status ?? 0;
  }
}
