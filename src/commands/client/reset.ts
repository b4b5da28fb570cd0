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

/**
 * Sets the counters of a client and of all its siblings to 0. `seenAt` is the index of the first reset among the events of the
 * decision. The numbers of the clients are added to `done`.
 */
export function resetClient(
  state: PanelState,
  current: Client,
  now: number,
  { seenAt: at = 0, done }: { readonly seenAt?: number; readonly done?: Set<ClientNumber> } = {},
): Caused<PanelEvent>[] {
  const events: Caused<PanelEvent>[] = [];
  for (const sibling of siblingsOf(state, current)) {
    done?.add(sibling.number);
    const { up, down } = state.counters.clients.get(sibling.number) ?? zero;
    const cause = at + events.length;
    events.push(ClientTrafficReset({ client: sibling.number, up, down }));
    const judged = sibling.depletion ? clientDepletionEvents(sibling, zero, now) : [];
    const effects = [...judged, ...unblocked(state, sibling, 'reset')];
    events.push(...effects.map((event) => ({ ...event, cause })));
  }
  return events;
}
