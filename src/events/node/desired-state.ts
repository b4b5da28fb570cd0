import type { ClientNumber, InboundId } from '../ids.js';

/** A client as its node should have it, without what only the centre needs: remark, chat id, foreign members. */
export interface DesiredClient {
  readonly number: ClientNumber;
  readonly email: string;
  /** Whether it may connect through the node. */
  readonly enabled: boolean;
  /** Bytes; 0 = no cap. */
  readonly capBytes: number;
  readonly digest: string;
  readonly credential: string;
  /** Its element of `settings.clients`, as JSON. */
  readonly text: string;
}

/** An inbound as its node should have it. */
export interface DesiredInbound {
  readonly id: InboundId;
  readonly tag: string;
  readonly protocol: string;
  readonly port: number;
  readonly enabled: boolean;
  /** Bytes; 0 = no cap. */
  readonly capBytes: number;
  /** Of everything except its clients and whether it is enabled. */
  readonly digest: string;
  /** The members of an inbound in the panel API; `settings` is JSON without clients. */
  readonly members: Readonly<Record<string, string | number>> & { readonly settings: string };
  readonly clients: readonly DesiredClient[];
}
