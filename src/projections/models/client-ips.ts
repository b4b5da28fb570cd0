import type { RecordedEvent } from '../../events/catalog.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { mayBePruned } from '../../events/traffic/traffic.js';

/** The recorded addresses of each client, with the time when they were last seen (ms since 1970). */
type ClientIps = Map<number, ReadonlyMap<string, number>>;

/** The addresses of one or several clients as one list without duplicates, the newest first. */
export function newestFirst(
  all: readonly (ReadonlyMap<string, number> | undefined)[],
): readonly (readonly [string, number])[] {
  const [first = new Map<string, number>(), ...others] = all.filter((seen) => seen !== undefined);
  if (others.length === 0) return [...first];
  const latest = new Map(first);
  for (const seen of others) for (const [ip, at] of seen) latest.set(ip, Math.max(at, latest.get(ip) ?? 0));
  return [...latest].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Addresses that are kept for each client. The oldest are removed first. */
const MAX_IPS = 100;

export const clientIps: Fold<ClientIps> = {
  name: 'client-ips',
  version: 1,
  ignores: TRAFFIC,
  initial: () => new Map(),
  apply(state, event) {
    switch (event.type) {
      case 'ClientIpsSeen': {
        const seen = new Map(state.get(event.data.client));
        for (const { ip, seenAt: at } of event.data.ips) seen.set(ip, Math.max(at, seen.get(ip) ?? 0));
        const newest = [...seen].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_IPS);
        state.set(event.data.client, new Map(newest));
        break;
      }
      case 'ClientIpsCleared':
      case 'ClientDeleted':
        state.delete(event.data.client);
        break;
      case 'MeasurementsRolledUp':
        // Forgets what is pruned from the log, so that a replay gives the same state.
        for (const [client, seen] of state) {
          if (!hasPruned(seen, event)) continue;
          const kept = [...seen].filter(([, at]) => !mayBePruned(event.data, at));
          if (kept.length === 0) state.delete(client);
          else state.set(client, new Map(kept));
        }
        break;
      default:
    }
  },
};

/** Without a list for each client: nearly none has anything to forget. */
function hasPruned(
  seen: ReadonlyMap<string, number>,
  { data }: Extract<RecordedEvent, { type: 'MeasurementsRolledUp' }>,
) {
  for (const at of seen.values()) if (mayBePruned(data, at)) return true;
  return false;
}
