import type { PanelEvent } from '../../events/catalog.js';
import { ClientTrafficReset } from '../../events/client/client.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { zero } from '../../events/traffic/counters.js';
import type { PanelState } from '../state.js';
import { unblocked } from '../traffic/ip-limit.js';
import { clientDepletionEvents } from './client-rules.js';
import { siblingsOf } from './siblings.js';

/** Where the events of a reset are in a decision, and which clients it has reset already. */
interface Place {
  /** The index of the first event. */
  readonly seenAt?: number;
  /** The numbers of the clients are added. */
  readonly done?: Set<ClientNumber>;
}

/** Sets the counters of a client and of all its siblings to 0. */
export const resetClient = (state: PanelState, client: Client, now: number, place?: Place): Caused<PanelEvent>[] =>
  resetClients(state, [client], now, place);

/** Sets the counters of clients and of all their siblings to 0, each once. The resets precede their effects. */
export function resetClients(
  state: PanelState,
  clients: Iterable<Client>,
  now: number,
  { seenAt = 0, done = new Set() }: Place = {},
): Caused<PanelEvent>[] {
  const resets: Caused<PanelEvent>[] = [];
  const effects: Caused<PanelEvent>[] = [];
  for (const client of clients) {
    if (done.has(client.number)) continue;
    for (const sibling of siblingsOf(state, client)) {
      done.add(sibling.number);
      const { up, down } = state.counters.clients.get(sibling.number) ?? zero;
      const cause = seenAt + resets.length;
      resets.push(ClientTrafficReset({ client: sibling.number, up, down }));
      const judged = sibling.depletion ? clientDepletionEvents(sibling, zero, now) : [];
      for (const event of [...judged, ...unblocked(state, sibling, 'reset')]) effects.push({ ...event, cause });
    }
  }
  return [...resets, ...effects];
}
