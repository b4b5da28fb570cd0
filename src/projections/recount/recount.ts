import type { RecordedEvent } from '../../events/catalog.js';
import { membersOf } from '../../events/client/members.js';
import { type Counters, evolveCounters, noCounters } from '../../events/traffic/counters.js';
import type { RecountRule } from '../../events/traffic/traffic.js';

/** The counters of the clients under the rules of the panel, and under other rules. */
interface Recount {
  readonly counted: Counters['clients'];
  readonly recounted: Counters['clients'];
  /** Sums of former measurements to which a rule with `moreThan` could not be applied: their measurements are no longer known. */
  readonly unchecked: number;
}

/** Folds the log under `rules`. `rolledTo`: up to this position, measurements are sums. */
export function recount(events: Iterable<RecordedEvent>, rules: readonly RecountRule[], rolledTo: number): Recount {
  const counted = noCounters();
  const recounted = noCounters();
  let unchecked = 0;
  for (const event of allMembers(events)) {
    evolveCounters(counted, event);
    const isSum = event.position <= rolledTo;
    const matching = rules.filter((rule) => inPeriod(rule, event));
    if (isSum && isMeasurement(event) && matching.some(({ moreThan }) => moreThan !== undefined)) unchecked += 1;
    const applicable = isSum ? matching.filter(({ moreThan }) => moreThan === undefined) : matching;
    evolveCounters(recounted, applicable.length === 0 ? event : weighed(event, applicable));
  }
  return { counted: counted.clients, recounted: recounted.clients, unchecked };
}

function* allMembers(events: Iterable<RecordedEvent>): Generator<RecordedEvent> {
  for (const event of events) yield* membersOf(event);
}

const isMeasurement = ({ type }: RecordedEvent): boolean =>
  type === 'TrafficRecorded' || type === 'NodeTrafficRecorded';

function inPeriod({ from = 0, to = Number.POSITIVE_INFINITY, node }: RecountRule, { type, data, meta }: RecordedEvent) {
  if (meta.at < from || meta.at >= to) return false;
  if (type === 'TrafficRecorded') return node === undefined || node === null;
  return type === 'NodeTrafficRecorded' && (node === undefined || node === data.node);
}

/** The event with the growth of its clients multiplied as the rules say. */
function weighed(event: RecordedEvent, rules: readonly RecountRule[]): RecordedEvent {
  const weigh = (up: number, down: number): [up: number, down: number] => {
    const count = rules.find(({ moreThan = -1 }) => up + down > moreThan)?.count ?? 1;
    return [Math.round(up * count), Math.round(down * count)];
  };
  if (event.type === 'TrafficRecorded') {
    const clients = event.data.clients.map(([client, up, down]): [number, number, number] => [
      client,
      ...weigh(up, down),
    ]);
    return { ...event, data: { ...event.data, clients } };
  }
  if (event.type !== 'NodeTrafficRecorded') return event;
  type Row = (typeof event.data.clients)[number];
  const clients = event.data.clients.map(([client, up, down, ...rest]): Row => [client, ...weigh(up, down), ...rest]);
  return { ...event, data: { ...event.data, clients } };
}
