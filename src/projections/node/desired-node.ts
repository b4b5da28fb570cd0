import { setImmediate as breathe } from 'node:timers/promises';
import { type Client, mayConnect } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { type Inbound, serves } from '../../events/inbound/inbound-document.js';
import {
  clientDigest,
  credentialMember,
  type InboundWords,
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
  readonly id: string;
  /** See `bornOf`; empty where that is not known. */
  readonly born: (kind: 'clients' | 'inbounds', number: number) => string;
}

const inboundsMade = new WeakMap<Inbound, DesiredInbound>();

/**
 * An inbound in the words of the panel API. Its cap and its expiry go along, so that a node that lost its centre still
 * keeps them; periods begin only here, for all machines at once. Paths of certificates are those of the node. `centre`
 * marks it as ours, which is no part of the digest: one that was told before there were marks stays as it is.
 */
export function desiredInbound(inbound: Inbound, centre: Centre): DesiredInbound {
  const known = inboundsMade.get(inbound);
  if (known) return known;
  const { id, tag, protocol, port, remark, listen, capBytes, expiresAt, sniffing, config } = inbound;
  const { clients: _clients, ...settings } = config.settings;
  const times = { total: capBytes, expiryTime: expiresAt, trafficReset: 'never' };
  const words: InboundWords = { remark, listen, port, protocol, ...times, settings, stream: config.stream, sniffing };
  const desired: DesiredInbound = {
    ...{ id, tag, protocol, port, capBytes },
    enabled: serves(inbound),
    digest: inboundDigest(words),
    members: {
      remark,
      listen,
      port,
      protocol,
      ...times,
      settings: JSON.stringify({ ...settings, [MARK]: markOf(centre.id, id, centre.born('inbounds', id)) }),
      streamSettings: config.stream === null ? '' : JSON.stringify(config.stream),
      sniffing: JSON.stringify(sniffing),
    },
  };
  inboundsMade.set(inbound, desired);
  return desired;
}

const clientsMade = new WeakMap<Client, DesiredClient & { readonly protocol: string }>();

/**
 * A client in the words of the panel API. Its cap goes along: what one machine counts is a part of the sum, so by its own
 * count a node cuts later than the centre or at the same time. A term that has not begun is none there, and nothing
 * renews itself there: both are for the one who sees all machines. `centre` marks it as ours.
 */
export function desiredClient(protocol: string, client: Client, centre: Centre): DesiredClient {
  const known = clientsMade.get(client);
  if (known?.protocol === protocol) return known;
  const { number, spec, identity, credential } = client;
  const words = {
    ...clientWords(client),
    expiryTime: Math.max(0, spec.expiresAt),
    enable: mayConnect(client),
    tgId: 0,
    comment: markOf(centre.id, number, centre.born('clients', number)),
    reset: 0,
  };
  const desired = {
    ...{ number, protocol, email: identity.email, enabled: words.enable, capBytes: spec.capBytes },
    digest: clientDigest(protocol, words),
    credential: credential[credentialMember(protocol)],
    text: JSON.stringify(words),
  };
  clientsMade.set(client, desired);
  return desired;
}

/** Clients that are written without a pause. */
const SLICE = 500;

/** What the node of these inbounds shall have. What is not known yet is written in slices; the documents do not change. */
export async function desiredNode(
  inbounds: readonly { readonly inbound: Inbound; readonly clients: readonly Client[] }[],
  centre: Centre,
): Promise<readonly (DesiredInbound & { readonly clients: readonly DesiredClient[] })[]> {
  const desired: (DesiredInbound & { readonly clients: readonly DesiredClient[] })[] = [];
  for (const { inbound, clients } of inbounds) {
    const written: DesiredClient[] = [];
    let fresh = 0;
    for (const client of clients) {
      if (!clientsMade.has(client)) fresh += 1;
      if (fresh === SLICE) {
        await breathe();
        fresh = 0;
      }
      written.push(desiredClient(inbound.protocol, client, centre));
    }
    desired.push({ ...desiredInbound(inbound, centre), clients: written });
  }
  return desired;
}
