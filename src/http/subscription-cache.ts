import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { type Client, emailKey } from '../events/client-document.js';
import type { Counter } from '../events/counters.js';
import type { Settings } from '../events/settings.js';
import type { ReadModels } from '../projections/read-models.js';
import type { Format } from '../projections/subscription/formats/format.js';
import { renderLinks } from '../projections/subscription/formats/render.js';
import { subscriptionHeaders } from '../projections/subscription/headers.js';
import type { ClientUsage } from '../projections/subscription/usage.js';
import { shareLinksForSubId, subscribed } from './codec/links.js';

/** A subscription as it goes out: `headers` as names and values in turn. */
export interface RenderedSubscription {
  /** Without what belongs to one of the bodies. */
  readonly headers: readonly string[];
  /** Null where no link can be said in this form. */
  readonly body: Buffer | null;
  /** The entity tag of the body, in quotes; it changes with the body and with what the headers tell. */
  readonly etag: string;
  /** The body in gzip, made at the first use; null where it is not worth it. */
  readonly gzipped: () => Buffer | null;
}

interface Entry extends RenderedSubscription {
  readonly settings: Settings;
  readonly inbounds: number;
  readonly clients: readonly Client[];
  readonly counters: readonly Counter[];
  readonly madeAt: number;
}

/** The name of a first link may tell the time that is left, in minutes at the finest. */
const FRESH_MS = 5000;
/** An entry is of use for a few seconds: this holds the clients that ask twice in that time. */
const LARGEST_BYTES = 16 * 1024 * 1024;
const OVERHEAD_BYTES = 2048;

/** What every answer of the subscription server carries: its URL is a secret. */
export const secretHeaders = [
  'Cache-Control',
  'no-store',
  'Referrer-Policy',
  'no-referrer',
  'X-Robots-Tag',
  'noindex, nofollow',
];

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
    sizeCalculation: ({ body }) => 2 * (body?.length ?? 0) + OVERHEAD_BYTES,
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

  /** Null when nobody of this subscription may connect: unknown, disabled and run out are one. */
  get(subId: string, format: Format, url: string, host: string): RenderedSubscription | null {
    const key = `${format} ${url} ${host}`;
    const known = this.#entries.get(key);
    if (known && this.#holds(known, subId)) return known;
    const made = this.#render(subId, format, url, host);
    if (made) this.#entries.set(key, made);
    else if (known) this.#entries.delete(key);
    return made;
  }

  #holds(entry: Entry, subId: string): boolean {
    const read = this.#read;
    if (entry.settings !== read.settings() || entry.inbounds !== this.#inbounds) return false;
    const age = this.#now() - entry.madeAt;
    if (age < 0 || age > FRESH_MS) return false;
    const clients = read.clientsBySubId(subId);
    if (clients.length !== entry.clients.length) return false;
    return clients.every(
      (client, at) => client === entry.clients[at] && sameCount(read.clientCounter(client), entry.counters[at]),
    );
  }

  #render(subId: string, format: Format, url: string, host: string): Entry | null {
    const read = this.#read;
    if (subscribed(read, subId).length === 0) return null;
    const settings = read.settings();
    const madeAt = this.#now();
    const clients = read.clientsBySubId(subId);
    // A profile is a whole program: what is left of the traffic has no place in the name of a server there.
    const asLinks = format === 'links' || format === 'base64' || format === 'plain';
    const rendered = renderLinks(shareLinksForSubId(read, subId, host, madeAt, asLinks), format, settings);
    const body = rendered && Buffer.from(rendered.body);
    const told = subscriptionHeaders({ clients: usagesOf(read, clients), settings, url, fileName: settings.subTitle });
    const headers = ['Content-Type', rendered?.type ?? 'text/plain; charset=utf-8', 'Vary', VARY, ...secretHeaders];
    headers.push(...Object.entries(told).flat());
    const etag = `"${hash('sha256', `${headers.join('\n')}\n${rendered?.body}`).slice(0, 32)}"`;
    const counters = clients.map((client) => read.clientCounter(client));
    const made = { settings, inbounds: this.#inbounds, clients, counters, madeAt };
    return { headers, body, etag, gzipped: once(() => compressed(body)), ...made };
  }
}

/** What chooses the form, and what it goes out as. */
const VARY = 'Accept, User-Agent, Accept-Encoding';
/** Shorter bodies fit into one packet as they are. */
const COMPRESS_FROM_BYTES = 1200;

function compressed(body: Buffer | null): Buffer | null {
  return body === null || body.length < COMPRESS_FROM_BYTES ? null : gzipSync(body, { level: 5 });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function sameCount(a: Counter, b: Counter | undefined): boolean {
  return a.up === b?.up && a.down === b.down;
}

/** What the clients used and may use. */
export function usagesOf(read: ReadModels, clients: readonly Client[]): readonly ClientUsage[] {
  return clients.map((client) => {
    const { up, down } = read.clientCounter(client);
    const { capBytes, expiresAt } = client.terms;
    return { person: emailKey(client.identity.email), up, down, capBytes, expiresAt };
  });
}
