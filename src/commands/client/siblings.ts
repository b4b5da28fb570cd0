import type { PanelEvent } from '../../events/catalog.js';
import { ClientDeleted, ClientTrafficTransferred } from '../../events/client/client.js';
import { type Client, emailKey } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { type Counter, sumOf, zero } from '../../events/traffic/counters.js';
import type { PanelState } from '../state.js';

type Known = Pick<PanelState, 'clients' | 'byEmail'>;

export const existingClients = (state: Known, numbers: Iterable<ClientNumber>): readonly Client[] =>
  [...numbers].flatMap((number) => state.clients.get(number) ?? []);

/** The clients of an email, one for each inbound that it is in, the lowest number first. */
export function clientsNamed(state: Known, email: string): readonly Client[] {
  return existingClients(state, state.byEmail.get(email));
}

/** The client of an email inside one inbound. */
export function clientIn(state: Known, inbound: InboundId, email: string): Client | undefined {
  return clientsNamed(state, email).find((client) => client.inbound === inbound);
}

/** The clients that share an email with this one, itself among them. */
export function siblingsOf(state: Known, client: Client): readonly Client[] {
  const numbers = state.byEmail.siblings(client.number);
  return numbers ? existingClients(state, numbers) : [client];
}

/** What a client's caps are compared with: bytes of all its siblings, on every machine. */
export function usedBy(state: PanelState, client: Client): Counter {
  return usedTogether(state, siblingsOf(state, client));
}

export function usedTogether({ counters }: PanelState, clients: readonly Client[]): Counter {
  const own = clients.map(({ number }) => counters.clients.get(number) ?? zero);
  const [only] = own;
  return only && own.length === 1 ? only : sumOf(own);
}

/**
 * The sibling to which traffic of all of them is booked: the lowest number on an inbound of this machine, or else the lowest
 * of all.
 */
export function usageOwner({ inbounds }: PanelState, siblings: readonly Client[]): Client | undefined {
  return siblings.find(({ inbound }) => inbounds.get(inbound)?.node === null) ?? siblings[0];
}

/**
 * When a client leaves its email by deletion or renaming, its traffic is transferred to another client with that email. The
 * event belongs before the one that removes the client. `leaving`: other clients that leave in the same decision.
 */
export function transferUsage(state: PanelState, client: Client, leaving?: ReadonlySet<ClientNumber>): PanelEvent[] {
  const siblings = siblingsOf(state, client);
  if (siblings.length === 1) return [];
  const others = siblings.filter(({ number }) => number !== client.number && !leaving?.has(number));
  const recipient = usageOwner(state, others);
  if (!recipient) return [];
  const { up, down } = state.counters.clients.get(client.number) ?? zero;
  return [ClientTrafficTransferred({ client: recipient.number, fromClient: client.number, up, down })];
}

/** Deletes clients. Their traffic is transferred to the remaining siblings. */
export function deletions(state: PanelState, clients: readonly Client[]): PanelEvent[] {
  const leaving = new Set(clients.map(({ number }) => number));
  return [
    ...clients.flatMap((client) => transferUsage(state, client, leaving)),
    ...clients.map(({ number, inbound }) => ClientDeleted({ client: number, inbound })),
  ];
}

/** The bytes that would count for a client with another email: its own move along unless they stay with a sibling. */
export function usedUnder(state: PanelState, client: Client, email: string): Counter {
  if (emailKey(email) === emailKey(client.identity.email)) return usedBy(state, client);
  const others = clientsNamed(state, email);
  return usedTogether(state, siblingsOf(state, client).length > 1 ? others : [client, ...others]);
}

/** The client that now has the traffic of a deleted client; undefined when there is none, or the client is not deleted. */
export function recipientOf(
  { clients, transferredTo }: Pick<PanelState, 'clients' | 'transferredTo'>,
  client: ClientNumber,
): Client | undefined {
  const passed = new Set<ClientNumber>();
  let at: ClientNumber | undefined = client;
  while (at !== undefined && !clients.has(at) && !passed.has(at)) {
    passed.add(at);
    at = transferredTo.get(at);
  }
  return at === undefined || at === client ? undefined : clients.get(at);
}
