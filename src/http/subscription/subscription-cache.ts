import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Client } from '../../events/client/client-document.js';
import type { Counter } from '../../events/counters.js';
import type { Settings } from '../../events/settings/settings.js';
import type { ReadModels } from '../../projections/read-models.js';
import { subscribed } from '../panel/codec/links.js';

/** An answer as it is made. `headers`: names and values in turn, without those that belong to the body. */
export interface Made {
  readonly headers: readonly string[];
  readonly body: string;
}

/** A head and a body that are sent as they are. */
export interface Sent {
  /** Names and values in turn. Node reads them where they are, and changes nothing. */
  readonly headers: string[];
  /** Bytes, a character each: Node sends a text in one piece with the head, and a buffer in a second one. */
  readonly body: string;
}

/** An answer as it goes out. */
export interface Rendered {
  /**
   * The entity tag; it changes with the body and with what the headers tell. A weak one, because the body has it in gzip
   * and without.
   */
  readonly etag: string;
  /** What is told whether or not the body is. */
  readonly headers: readonly string[];
  readonly plain: Sent;
  /** With the body in gzip, made at the first use; null where it is not worth it. */
  readonly gzipped: () => Sent | null;
}

interface Entry extends Rendered {
  readonly settings: Settings;
  readonly inbounds: number;
  readonly clients: readonly Client[];
  readonly counters: readonly Counter[];
  readonly madeAt: number;
}

/** The name of a first link and the page tell times, in minutes at the finest. */
const FRESH_MS = 5000;
/** An entry is of use for a few seconds: this holds the clients that ask twice in that time. */
const LARGEST_BYTES = 16 * 1024 * 1024;
const OVERHEAD_BYTES = 2048;
/** Shorter bodies fit into one packet as they are. */
const COMPRESS_FROM_BYTES = 1200;

/**
 * Rendered subscriptions. Documents are immutable, so an entry holds as long as the documents that it was made from are
 * the ones in the read model: no event has to find it.
 */
export class SubscriptionCache {
  readonly #read: ReadModels;
  readonly #now: () => number;
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: LARGEST_BYTES,
    // Twice, for the compressed one.
    sizeCalculation: ({ plain }) => 2 * plain.body.length + OVERHEAD_BYTES,
  });
  /** Grows when any inbound changes: one may speak for another. */
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
   * Null when nobody of this subscription may connect: unknown, disabled and run out are one. `key` names all that `make`
   * depends on besides the read model.
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
