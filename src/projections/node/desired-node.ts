import { setImmediate as breathe } from 'node:timers/promises';
import { type Client, mayConnect } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { type Inbound, serves } from '../../events/inbound/inbound-document.js';
import {
  clientDigest,
  credentialMember,
  type InboundFields,
  inboundDigest,
  MARK,
  markOf,
} from '../../lib/node-words.js';
import { clientWords } from '../why/client-words.js';

/** A client as its node shall have it. What only the centre needs stays there: comment, chat id, foreign members. */
export interface DesiredClient {
  readonly number: ClientNumber;
  readonly email: string;
  readonly enabled: boolean;
  readonly capBytes: number;
  readonly digest: string;
  /** What lets it in. */
  readonly credential: string;
  /** The element of `settings.clients`, as JSON. */
  readonly text: string;
}

/** An inbound as its node shall have it. */
export interface DesiredInbound {
  readonly id: InboundId;
  readonly tag: string;
  readonly protocol: string;
  readonly port: number;
  readonly enabled: boolean;
  readonly capBytes: number;
  readonly digest: string;
  /** The members of an inbound of the panel API; `settings` is a text without clients. */
  readonly members: Readonly<Record<string, string | number>> & { readonly settings: string };
}

/** What this panel marks as its own. */
export interface Centre {
  /** Its lasting name. */
  readonly id: () => string;
  /** See `bornOf`; empty where that is not known. */
  readonly born: (kind: 'clients' | 'inbounds', number: number) => string;
}

/** Clients that are converted without a pause. */
const SLICE = 500;

type DesiredNode = readonly (DesiredInbound & { readonly clients: readonly DesiredClient[] })[];

/** What the nodes of a panel should have. Documents do not change, so each is converted once. */
export class DesiredNodes {
  readonly #centre: Centre;
  readonly #inbounds = new WeakMap<Inbound, DesiredInbound>();
  readonly #clients = new WeakMap<Client, DesiredClient & { readonly protocol: string }>();

  constructor(centre: Centre) {
    this.#centre = centre;
  }

  /** The desired state of the node of these inbounds. */
  async of(
    inbounds: readonly { readonly inbound: Inbound; readonly clients: readonly Client[] }[],
  ): Promise<DesiredNode> {
    const desired: DesiredNode[number][] = [];
    for (const { inbound, clients } of inbounds) {
      const converted: DesiredClient[] = [];
      let fresh = 0;
      for (const client of clients) {
        if (!this.#clients.has(client)) fresh += 1;
        if (fresh === SLICE) {
          await breathe();
          fresh = 0;
        }
        converted.push(this.#client(inbound.protocol, client));
      }
      desired.push({ ...this.#inbound(inbound), clients: converted });
    }
    return desired;
  }

  #inbound(inbound: Inbound): DesiredInbound {
    const known = this.#inbounds.get(inbound);
    if (known) return known;
    const desired = desiredInbound(inbound, this.#centre);
    this.#inbounds.set(inbound, desired);
    return desired;
  }

  #client(protocol: string, client: Client): DesiredClient {
    const known = this.#clients.get(client);
    if (known?.protocol === protocol) return known;
    const desired = { ...desiredClient(protocol, client, this.#centre), protocol };
    this.#clients.set(client, desired);
    return desired;
  }
}

/**
 * An inbound in the form of the panel API. Its cap and its expiry are included, so a node that has lost its centre still
 * enforces them; periods are renewed only here, for all machines at once. Certificate paths are those of the node. The mark
 * of the centre is no part of the digest.
 */
function desiredInbound(inbound: Inbound, centre: Centre): DesiredInbound {
  const { id, tag, protocol, port, remark, listen, capBytes, expiresAt, sniffing, config } = inbound;
  const { clients: _clients, ...settings } = config.settings;
  const times = { total: capBytes, expiryTime: expiresAt, trafficReset: 'never' };
  const words: InboundFields = { remark, listen, port, protocol, ...times, settings, stream: config.stream, sniffing };
  return {
    ...{ id, tag, protocol, port, capBytes },
    enabled: serves(inbound),
    digest: inboundDigest(words),
    members: {
      remark,
      listen,
      port,
      protocol,
      ...times,
      settings: JSON.stringify({ ...settings, [MARK]: markOf(centre.id(), id, centre.born('inbounds', id)) }),
      streamSettings: config.stream === null ? '' : JSON.stringify(config.stream),
      sniffing: JSON.stringify(sniffing),
    },
  };
}

/**
 * A client in the form of the panel API. Its cap is included: one machine counts a part of the total, so by its own count a
 * node cuts later than the centre or at the same time. A term that has not begun is left out, and nothing renews itself on
 * the node: both need the total of all machines.
 */
function desiredClient(protocol: string, client: Client, centre: Centre): DesiredClient {
  const { number, spec, identity, credential } = client;
  const words = {
    ...clientWords(client),
    expiryTime: Math.max(0, spec.expiresAt),
    enable: mayConnect(client),
    tgId: 0,
    comment: markOf(centre.id(), number, centre.born('clients', number)),
    reset: 0,
  };
  return {
    ...{ number, email: identity.email, enabled: words.enable, capBytes: spec.capBytes },
    digest: clientDigest(protocol, words),
    credential: credential[credentialMember(protocol)],
    text: JSON.stringify(words),
  };
}
