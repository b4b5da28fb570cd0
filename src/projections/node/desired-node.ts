import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Client, mayConnect } from '../../events/client/client-document.js';
import { type Inbound, serves } from '../../events/inbound/inbound-document.js';
import type { DesiredClient, DesiredInbound } from '../../events/node/desired-state.js';
import { MARK_MEMBER, markOf } from '../../lib/ownership-mark.js';
import { clientDigest, credentialMember, type InboundFields, inboundDigest } from '../../lib/panel-wire.js';
import { apiClient } from './api-client.js';

/** What the ownership marks of this panel contain. */
interface Centre {
  /** The panel id. */
  readonly id: () => string;
  /** See `uidOf`; empty when it is unknown. */
  readonly uid: (kind: 'clients' | 'inbounds', number: number) => string;
}

/** Clients that are converted before the event loop runs. */
const CLIENTS_PER_TURN = 500;

/** Without its clients, which change more often. */
type InboundAlone = Omit<DesiredInbound, 'clients'>;

/** The desired state of nodes. A document is immutable, so each is converted once. */
export class DesiredNodes {
  readonly #centre: Centre;
  readonly #inbounds = new WeakMap<Inbound, InboundAlone>();
  readonly #clients = new WeakMap<Client, DesiredClient & { readonly protocol: string }>();

  constructor(centre: Centre) {
    this.#centre = centre;
  }

  /** The desired state of the node of these inbounds. */
  async of(
    inbounds: readonly { readonly inbound: Inbound; readonly clients: readonly Client[] }[],
  ): Promise<readonly DesiredInbound[]> {
    const desired: DesiredInbound[] = [];
    for (const { inbound, clients } of inbounds) {
      const converted: DesiredClient[] = [];
      let fresh = 0;
      for (const client of clients) {
        if (!this.#clients.has(client)) fresh += 1;
        if (fresh === CLIENTS_PER_TURN) {
          await yieldToEventLoop();
          fresh = 0;
        }
        converted.push(this.#client(inbound.protocol, client));
      }
      desired.push({ ...this.#inbound(inbound), clients: converted });
    }
    return desired;
  }

  #inbound(inbound: Inbound): InboundAlone {
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
 * An inbound in the format of the panel API. Its cap and its expiry are included, so that a node enforces them without its
 * centre. Periods are renewed only here, for all machines at once. Certificate paths are those of the node. The ownership
 * mark is not part of the digest.
 */
function desiredInbound(inbound: Inbound, centre: Centre): InboundAlone {
  const { id, tag, protocol, port, remark, listen, capBytes, expiresAt, sniffing, config } = inbound;
  const { clients: _clients, ...settings } = config.settings;
  const times = { total: capBytes, expiryTime: expiresAt, trafficReset: 'never' };
  const fields: InboundFields = { remark, listen, port, protocol, ...times, settings, stream: config.stream, sniffing };
  return {
    ...{ id, tag, protocol, port, capBytes },
    enabled: serves(inbound),
    digest: inboundDigest(fields),
    members: {
      remark,
      listen,
      port,
      protocol,
      ...times,
      settings: JSON.stringify({ ...settings, [MARK_MEMBER]: markOf(centre.id(), id, centre.uid('inbounds', id)) }),
      streamSettings: config.stream === null ? '' : JSON.stringify(config.stream),
      sniffing: JSON.stringify(sniffing),
    },
  };
}

/**
 * A client in the format of the panel API. Its cap is included: one machine counts a part of the total, so a node disables
 * the client by its own count at the same time as the centre or later. An expiry that starts with the first use is left out,
 * and the node renews nothing: both depend on all machines.
 */
function desiredClient(protocol: string, client: Client, centre: Centre): DesiredClient {
  const { number, spec, identity, credential } = client;
  const members = {
    ...apiClient(client),
    expiryTime: Math.max(0, spec.expiresAt),
    enable: mayConnect(client),
    tgId: 0,
    comment: markOf(centre.id(), number, centre.uid('clients', number)),
    reset: 0,
  };
  return {
    ...{ number, email: identity.email, enabled: members.enable, capBytes: spec.capBytes },
    digest: clientDigest(protocol, members),
    credential: credential[credentialMember(protocol)],
    text: JSON.stringify(members),
  };
}
