import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Client } from '../../events/client/client-document.js';
import type { Counter } from '../../events/counters.js';
import type { Settings } from '../../events/settings/settings.js';
import type { ReadModels } from '../../projections/read-models.js';
import { subscribed } from '../panel/codec/links.js';

/** A rendered answer. `headers`: names and values in turn, without those that describe the body. */
export interface Made {
  readonly headers: readonly string[];
  readonly body: string;
}

/** A head and a body, sent unchanged. */
export interface Sent {
  /** Names and values in turn. Node reads the array in place and does not change it. */
  readonly headers: string[];
  /** A latin1 string: Node sends it in one piece with the head, a buffer in a second one. */
  readonly body: string;
}

/** A cached answer. */
export interface Rendered {
  /** The entity tag; it depends on the body and the headers. It is weak, because the body is sent with and without gzip. */
  readonly etag: string;
  /** Headers that are sent with and without the body. */
  readonly headers: readonly string[];
  readonly plain: Sent;
  /** With the body in gzip, compressed on first use; null if that is not worthwhile. */
  readonly gzipped: () => Sent | null;
}

interface Entry extends Rendered {
  readonly settings: Settings;
  readonly inbounds: number;
  readonly clients: readonly Client[];
  readonly counters: readonly Counter[];
  readonly madeAt: number;
}

/** The name of the first link and the page show times with a precision of a minute. */
const FRESH_MS = 5000;
/** An entry is useful for a few seconds; this size holds the clients that repeat a request in that time. */
const MAX_BYTES = 16 * 1024 * 1024;
const OVERHEAD_BYTES = 2048;
/** Shorter bodies fit into one packet uncompressed. */
const COMPRESS_FROM_BYTES = 1200;

/**
 * Rendered subscriptions. Documents are immutable, so an entry is valid as long as the read model has the same documents. No
 * invalidation by events is needed.
 */
export class SubscriptionCache {
  readonly #read: ReadModels;
  readonly #now: () => number;
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    // Twice, for the compressed copy.
    sizeCalculation: ({ plain }) => 2 * plain.body.length + OVERHEAD_BYTES,
  });
  /** Increases when any inbound changes, because links may depend on another inbound. */
  #inbounds = 0;

  constructor(read: ReadModels, now: () => number) {
    this.#read = read;
    this.#now = now;
    read.changed$.subscribe((events) => {
      if (events.some(({ type }) => type.startsWith('Inbound') || type === 'NodeUpdated' || type === 'NodeDeleted'))
        this.#inbounds += 1;
    });
  }

  /**
   * Null when no client of the subscription may connect, whether unknown, disabled or depleted. `key` identifies everything
   * else that `make` depends on.
   */
  get(subId: string, key: string, make: (now: number) => Made): Rendered | null {
    const known = this.#entries.get(key);
    if (known && this.#holds(known, subId)) return known;
    if (known) this.#entries.delete(key);
    const read = this.#read;
    if (subscribed(read, subId).length === 0) return null;
    const madeAt = this.#now();
    const clients = read.clients.bySubId(subId);
    const counters = clients.map((client) => read.usage.client(client));
    const entry = {
      ...goingOut(make(madeAt)),
      ...{ settings: read.settings.current(), inbounds: this.#inbounds, clients, counters, madeAt },
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #holds(entry: Entry, subId: string): boolean {
    const read = this.#read;
    if (entry.settings !== read.settings.current() || entry.inbounds !== this.#inbounds) return false;
    const age = this.#now() - entry.madeAt;
    if (age < 0 || age > FRESH_MS) return false;
    const clients = read.clients.bySubId(subId);
    if (clients.length !== entry.clients.length) return false;
    return clients.every(
      (client, at) => client === entry.clients[at] && sameCount(read.usage.client(client), entry.counters[at]),
    );
  }
}

function goingOut({ headers, body: text }: Made): Rendered {
  const etag = `W/"${hash('sha256', `${headers.join('\n')}\n${text}`).slice(0, 32)}"`;
  const sent = (body: Buffer, more: readonly string[]): Sent => ({
    headers: [...headers, 'ETag', etag, 'Content-Length', String(body.length), ...more],
    body: body.toString('latin1'),
  });
  const plain = sent(Buffer.from(text), []);
  const gzipped = once(() => {
    if (plain.body.length < COMPRESS_FROM_BYTES) return null;
    return sent(gzipSync(Buffer.from(plain.body, 'latin1'), { level: 5 }), ['Content-Encoding', 'gzip']);
  });
  return { etag, headers, plain, gzipped };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function sameCount(a: Counter, b: Counter | undefined): boolean {
  return a.up === b?.up && a.down === b.down;
}
