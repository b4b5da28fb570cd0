import type { RecordedEvent } from '../../../events/catalog.js';
import { type Counter, zero } from '../../../events/traffic/counters.js';

/** The names of numbers in the log; null when deleted. */
export interface Names {
  readonly emailOf: (client: number) => string | null;
  readonly tagOf: (inbound: number) => string | null;
}

/** The traffic since the last report, by the names that the receiver knows. */
export class TrafficSums {
  readonly #clients = new Map<string, Counter>();
  readonly #inbounds = new Map<string, Counter>();
  readonly #outbounds = new Map<string, Counter>();

  /** Adds the traffic of an event, from this machine or a node. */
  add(event: RecordedEvent, { emailOf, tagOf }: Names): void {
    if (event.type !== 'TrafficRecorded' && event.type !== 'NodeTrafficRecorded') return;
    for (const [client, up, down] of event.data.clients) grow(this.#clients, emailOf(client), up, down);
    for (const [inbound, up, down] of event.data.inbounds) grow(this.#inbounds, tagOf(inbound), up, down);
    if (event.type === 'NodeTrafficRecorded') return;
    for (const [tag, up, down] of event.data.outbounds) grow(this.#outbounds, tag, up, down);
  }

  /** Adds the sums of a report that failed. */
  merge(other: TrafficSums): void {
    for (const [email, { up, down }] of other.#clients) grow(this.#clients, email, up, down);
    for (const [tag, { up, down }] of other.#inbounds) grow(this.#inbounds, tag, up, down);
    for (const [tag, { up, down }] of other.#outbounds) grow(this.#outbounds, tag, up, down);
  }

  /** The body as 3x-ui sends it: all fields of a client other than its bytes are always zero there. */
  body(): string {
    const clientTraffics = [...this.#clients].map(([email, { up, down }]) => ({
      ...{ id: 0, inboundId: 0, enable: false, email, uuid: '', subId: '', up, down },
      ...{ allTime: 0, expiryTime: 0, total: 0, reset: 0, lastOnline: 0 },
    }));
    const row = (IsInbound: boolean, [Tag, { up: Up, down: Down }]: [string, Counter]) => {
      return { IsInbound, IsOutbound: !IsInbound, Tag, Up, Down };
    };
    const inboundTraffics = [
      ...[...this.#inbounds].map((each) => row(true, each)),
      ...[...this.#outbounds].map((each) => row(false, each)),
    ];
    return JSON.stringify({ clientTraffics, inboundTraffics });
  }
}

function grow(sums: Map<string, Counter>, name: string | null, up: number, down: number): void {
  if (name === null || up + down === 0) return;
  const before = sums.get(name) ?? zero;
  sums.set(name, { up: before.up + up, down: before.down + down });
}
