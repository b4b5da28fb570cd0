import type { ClientNumber, InboundId, NodeId } from '../../events/ids.js';
import type { NodeAddress } from './nodes.js';

/** A client as its node shall have it. */
export interface WantedClient {
  readonly number: ClientNumber;
  readonly email: string;
  /** Whether it may connect there. */
  readonly enabled: boolean;
  /** Bytes; 0 = none. */
  readonly capBytes: number;
  readonly digest: string;
  /** What lets it in. */
  readonly credential: string;
  /** The element of `settings.clients`, as JSON. */
  readonly text: string;
}

/** An inbound as its node shall have it. */
export interface WantedInbound {
  readonly id: InboundId;
  readonly tag: string;
  readonly protocol: string;
  readonly port: number;
  readonly enabled: boolean;
  /** Bytes; 0 = none. */
  readonly capBytes: number;
  /** Of all but its clients and whether it is on. */
  readonly digest: string;
  /** The members of an inbound of the panel API; `settings` is a text without clients. */
  readonly members: Readonly<Record<string, string | number>> & { readonly settings: string };
  readonly clients: readonly WantedClient[];
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

/** A remote panel. */
export interface AskedNode extends NodeAddress {
  /** Breaks the question off. */
  readonly signal?: AbortSignal;
}

/**
 * The inbounds of a remote panel, by its API. Everything rejects with `NodeError`, and takes at most 10 s (a listing and
 * an update 30 s). `remote` is the id that the panel gave to an inbound.
 */
export interface NodePanel {
  /** The lasting name of the panel that answers there; empty when it has none. */
  panelId(node: AskedNode): Promise<string>;
  listing(node: AskedNode & { readonly id: NodeId }): Promise<NodeListing>;
  /** Emails of the clients that are connected. */
  onlines(node: AskedNode): Promise<readonly string[]>;
  /** Addresses that a client was seen at, newest first. */
  clientIps(node: AskedNode, email: string): Promise<readonly string[]>;
  /** The tag that it got. */
  add(node: AskedNode, inbound: WantedInbound): Promise<{ readonly remote: number; readonly tag: string }>;
  /** Replaces the inbound and all of its clients; `unmanaged` are JSON texts of clients that stay as they are. */
  update(node: AskedNode, remote: number, inbound: WantedInbound, unmanaged: readonly string[]): Promise<void>;
  remove(node: AskedNode, remote: number): Promise<void>;
  setEnabled(node: AskedNode, remote: number, enabled: boolean): Promise<void>;
  addClients(node: AskedNode, remote: number, clients: readonly WantedClient[]): Promise<void>;
  /** `key`: as the panel lists it. */
  updateClient(node: AskedNode, remote: number, key: string, client: Pick<WantedClient, 'text'>): Promise<void>;
  deleteClient(node: AskedNode, remote: number, email: string): Promise<void>;
  /** Sets the counters of a client to zero there, and lets it connect again. */
  resetClient(node: AskedNode, remote: number, email: string): Promise<void>;
  resetInbound(node: AskedNode, remote: number): Promise<void>;
  /** Ends every connection through the node. */
  restartCore(node: AskedNode): Promise<void>;
}
