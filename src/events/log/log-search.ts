import type { Text } from '../../messages/message.js';
import type { RecordedEvent } from '../catalog.js';
import type { Actor, EventMeta } from './event.js';
import type { LogHead } from './log.js';

/** An event without its payload, which may have been rolled up. */
export interface EventHeader {
  readonly position: number;
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly meta: EventMeta;
  /** It is the part of one client in an event about many clients, which has the same position and id. */
  readonly isPart?: true;
}

/** The newest events of a stream before a position. */
export interface StreamPart {
  /** Newest first. */
  readonly headers: readonly EventHeader[];
  /** All events from this position on were read; 1 = all of the stream. */
  readonly next: number;
}

/** What the headers of events must have. */
export interface HeaderFilter {
  /** Null = any. */
  readonly types: ReadonlySet<string> | null;
  readonly actorKind: Actor['kind'] | null;
  /** Milliseconds since 1970, both inclusive. */
  readonly from: number;
  readonly to: number;
}

/** How many headers a part of a search reads at most, and which. */
export interface HeaderPage {
  readonly limit: number;
  /**
   * With it, only events that can have an address: those of actors other than the panel itself, and those of these types,
   * which contain addresses. Null = all.
   */
  readonly addressTypes: readonly string[] | null;
}

/** The result of verifying a part of the chain. */
export interface ChainPart {
  /** The last position that was verified. */
  readonly position: number;
  readonly fault: { readonly position: number; readonly what: Text } | null;
}

/** Searches the log backwards. Each call reads a bounded number of rows. */
export interface LogSearch {
  head(): LogHead;
  /** The matching events from position `low` to `high`, newest first; with a page, the newest of them. */
  between(low: number, high: number, filter: HeaderFilter, page?: HeaderPage): readonly EventHeader[];
  /**
   * The newest events of a stream before a position, from about `limit` rows. In the stream of a client, its part of an event
   * about many clients counts as an event, and events about others are read as well.
   */
  ofStream(stream: string, before: number, limit: number): StreamPart;
  header(position: number): EventHeader | null;
  /** The event at a position; undefined if there is none, or if its payload was rolled up. */
  event(position: number): RecordedEvent | undefined;
  /**
   * The events of a stream before a position with one of the types, newest first. Reads at most 20,000 of them. In the stream of a
   * client, its part of an event about many clients counts as an event.
   */
  earlier(stream: string, before: number, types: readonly RecordedEvent['type'][]): Iterable<RecordedEvent>;
  /** The event with this id before a position. Null when it was appended at a time when the clock had been set back. */
  find(id: string, before: number): EventHeader | null;
  /** The events from position `low` to `high` that the event with this id caused, oldest first. */
  causedBy(id: string, low: number, high: number): readonly EventHeader[];
  /** Verifies the hashes of up to `limit` events after a position. */
  verify(after: number, limit: number): ChainPart;
  /** The chain hash of an event, hex. */
  hashAt(position: number): string | null;
}
