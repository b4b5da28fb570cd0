import type { RecordedEvent } from '../catalog.js';

/** Bytes up and down. */
export interface Counter {
  readonly up: number;
  readonly down: number;
}
export const zero: Counter = { up: 0, down: 0 };

export function sumOf(counters: readonly Counter[]): Counter {
  return counters.reduce((sum, { up, down }) => ({ up: sum.up + up, down: sum.down + down }), zero);
}

/** All counters after the events of the log. */
export interface Counters {
  readonly clients: Map<number, Counter>;
  readonly inbounds: Map<number, Counter>;
  /** By tag. An outbound appears with its first traffic. */
  readonly outbounds: Map<string, Counter>;
}

export function noCounters(): Counters {
  return { clients: new Map(), inbounds: new Map(), outbounds: new Map() };
}

/** Folds one event into the counters. Measurements of deleted clients and inbounds are dropped. */
export function evolveCounters({ clients, inbounds, outbounds }: Counters, event: RecordedEvent): void {
  switch (event.type) {
    case 'ClientAdded':
      clients.set(event.data.client, zero);
      break;
    case 'ClientDeleted':
      clients.delete(event.data.client);
      break;
    case 'InboundAdded':
      inbounds.set(event.data.inbound, zero);
      break;
    case 'InboundDeleted':
      inbounds.delete(event.data.inbound);
      break;
    case 'TrafficRecorded':
      for (const [number, up, down] of event.data.clients) grow(clients, number, up, down);
      for (const [id, up, down] of event.data.inbounds) grow(inbounds, id, up, down);
      for (const [tag, up, down] of event.data.outbounds) {
        if (!outbounds.has(tag)) outbounds.set(tag, zero);
        grow(outbounds, tag, up, down);
      }
      break;
    case 'NodeTrafficRecorded':
      for (const [number, up, down] of event.data.clients) grow(clients, number, up, down);
      for (const [id, up, down] of event.data.inbounds) grow(inbounds, id, up, down);
      break;
    case 'ClientHistoryImported':
      grow(clients, event.data.client, event.data.up, event.data.down);
      break;
    case 'InboundHistoryImported':
      grow(inbounds, event.data.inbound, event.data.up, event.data.down);
      break;
    case 'OutboundHistoryImported':
      if (!outbounds.has(event.data.tag)) outbounds.set(event.data.tag, zero);
      grow(outbounds, event.data.tag, event.data.up, event.data.down);
      break;
    case 'ClientTrafficTransferred': {
      const { client, fromClient: from, up, down } = event.data;
      if (clients.has(from)) clients.set(from, zero);
      grow(clients, client, up, down);
      break;
    }
    case 'ClientTrafficReset':
      clients.set(event.data.client, zero);
      break;
    case 'ClientTrafficAdjusted':
      clients.set(event.data.client, { up: event.data.up, down: event.data.down });
      break;
    case 'OutboundTrafficReset':
      outbounds.set(event.data.tag, zero);
      break;
    case 'InboundTrafficReset':
      inbounds.set(event.data.inbound, zero);
      break;
    default:
  }
}

function grow<K>(counters: Map<K, Counter>, key: K, up: number, down: number): void {
  const before = counters.get(key);
  if (before) counters.set(key, { up: before.up + up, down: before.down + down });
}
