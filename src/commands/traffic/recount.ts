import type { PanelEvent } from '../../events/catalog.js';
import type { ClientNumber } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import type { Counter } from '../../events/traffic/counters.js';
import { type RecountRule, TrafficRecounted } from '../../events/traffic/traffic.js';
import { adjustments } from '../client/many.js';
import { usedBy } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { Rejection, reject } from '../rejection.js';

/** What the measurements of an email add up to. */
export interface Recounted {
  /** One of the clients with the email. */
  readonly client: ClientNumber;
  /** Under the rules of the panel, at the position of the recount. */
  readonly counted: Counter;
  readonly recounted: Counter;
}

export type RecountCommand = Command<
  'RecountTraffic',
  { readonly rules: readonly RecountRule[]; readonly position: number; readonly changes: readonly Recounted[] }
>;

export const recount: Decider<RecountCommand> = {
  RecountTraffic({ rules, position, changes }, state, { now }) {
    const known = changes.flatMap(({ client, ...rest }) => {
      const current = state.clients.get(client);
      return current ? [{ current, ...rest }] : [];
    });
    if (known.length === 0) return [];
    const recounted = TrafficRecounted({ rules: [...rules], position, clients: known.length });
    const events: Caused<PanelEvent>[] = [recounted];
    for (const { current, counted, recounted: due } of known) {
      const { email } = current.identity;
      const used = usedBy(state, current);
      // Counters only grow, except when they are reset, set or transferred: then the recount is outdated.
      if (used.up < counted.up || used.down < counted.down) return reject('RECOUNT_OUTDATED', { client: email });
      const after = { up: used.up - counted.up + due.up, down: used.down - counted.down + due.down };
      const adjusted = adjustments(state, email, after, now, events.length);
      if (adjusted instanceof Rejection) return adjusted;
      events.push(...adjusted.map((event) => ({ cause: 0, ...event })));
    }
    return events;
  },
};
