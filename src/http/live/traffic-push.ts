import type { RecordedEvent } from '../../events/catalog.js';

/** Bytes that counters grew by, for the browsers to add to those they show. */
export interface TrafficPush {
  readonly type: 'traffic';
  /** `[client number, up, down]` */
  readonly clients: readonly (readonly [number, number, number])[];
  /** `[inbound id, up, down]` */
  readonly inbounds: readonly (readonly [number, number, number])[];
  /** Time of the last poll, ms since 1970. */
  readonly at: number;
}

/** What a batch of events adds to the counters; null when it adds nothing. */
export function trafficOf(events: readonly RecordedEvent[]): TrafficPush | null {
  const polls = events.filter(({ type }) => type === 'TrafficRecorded' || type === 'NodeTrafficRecorded');
  const clients: TrafficPush['clients'][number][] = [];
  const inbounds: TrafficPush['inbounds'][number][] = [];
  for (const { type, data } of polls) {
    if (type !== 'TrafficRecorded' && type !== 'NodeTrafficRecorded') continue;
    for (const [id, up, down] of data.clients) if (up + down > 0) clients.push([id, up, down]);
    for (const [id, up, down] of data.inbounds) if (up + down > 0) inbounds.push([id, up, down]);
  }
  const last = polls.at(-1);
  return last && clients.length + inbounds.length > 0 ? { type: 'traffic', clients, inbounds, at: last.meta.at } : null;
}
