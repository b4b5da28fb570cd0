import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { Settings } from '../../events/settings/settings.js';
import type { Counter } from '../../events/traffic/counters.js';
import { usageHeader } from '../../projections/subscription/headers.js';
import type { SubscriptionModels } from '../../projections/subscription/models.js';
import { remainder } from '../../projections/subscription/name.js';
import { subscribed } from '../panel/codec/links.js';
import { baseHeaders, withBase } from '../server/headers.js';
import { type Made, usagesOf } from './subscription-answers.js';

/** A head and a body, sent unchanged. */
interface Sent {
  readonly headers: string[];
  /** A latin1 string: Node sends it in one piece with the head, a buffer in a second one. */
  readonly body: string;
}

/** A cached answer. */
export interface Rendered {
  /** The entity tag; it depends on the body and the headers. It is weak, because the body is sent with and without gzip. */
  readonly etag: string;
  /** Headers that are sent with and without the body, with the base headers. */
  headers(): string[];
  plain(): Sent;
  /** With the body in gzip, compressed at first use; null if that is not worthwhile. */
  gzipped(): Sent | null;
}

/** Subscriptions for apps, or pages, which show times and contain more text. */
type Kind = 'text' | 'page';

/** The page shows times with a precision of a minute. */
const PAGE_FRESH_MS = 5000;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** Texts may take this much memory for each client of the panel, and at least so much. */
const BYTES_PER_CLIENT = 4096;
const MIN_TEXT_BYTES = 16 * 1024 * 1024;
const OVERHEAD_BYTES = 1024;
/** Texts of one subscription, by format and requested host. Callers control the host. */
const MAX_FORMS = 8;
/** Shorter bodies fit into one packet uncompressed. */
const COMPRESS_FROM_BYTES = 1200;

/**
 * Rendered subscriptions. The text of a subscription depends on the documents of its clients, on inbounds, nodes and settings,
 * and is kept until one of them changes. Traffic changes the usage header only, and the name of the first link when it shows
 * the remaining traffic.
 */
export class SubscriptionCache {
  readonly #read: SubscriptionModels;
  readonly #now: () => number;
  /** By the number of the first client, then by key. */
  readonly #texts = new Map<number, Map<string, Entry>>();
  readonly #pages = new LRUCache<string, Entry>({
    maxSize: MAX_PAGE_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });
  /** Header lists that many entries share, by their text. */
  readonly #lists = new Map<string, readonly string[]>();
  #bytes = 0;

  constructor(read: SubscriptionModels, now: () => number) {
    this.#read = read;
    this.#now = now;
    read.changed$.subscribe((events) => events.forEach((event) => this.#forget(event)));
  }

  /**
   * Null when no client of the subscription may connect, whether unknown, disabled or depleted. `key` identifies everything
   * else that `make` depends on.
   */
  get(kind: Kind, subId: string, key: string, make: (now: number) => Made): Rendered | null {
    const read = this.#read;
    const clients = read.clients.bySubId(subId);
    const [first] = clients;
    if (!first) return null;
    const known = kind === 'page' ? this.#pages.get(key) : this.#texts.get(first.number)?.get(key);
    const now = this.#now();
    const settings = read.settings.current();
    if (known?.isMadeFrom(settings, clients)) {
      const counters = clients.map((client) => read.usage.client(client));
      const fresh =
        kind === 'page'
          ? known.isYoung(now) && known.hasCounters(counters)
          : known.notes === notesOf(settings, clients, counters, now);
      if (fresh) {
        if (!known.hasCounters(counters)) known.count(counters, this.#usage(clients));
        return known;
      }
    }
    if (subscribed(read, subId).length === 0) return null;
    const made = make(now);
    const counters = clients.map((client) => read.usage.client(client));
    const entry = new Entry(
      { settings, clients, madeAt: now, notes: notesOf(settings, clients, counters, now) },
      { ...made, headers: this.#shared(made.headers) },
    );
    entry.count(counters, this.#usage(clients));
    if (kind === 'page') this.#pages.set(key, entry);
    else this.#keep(first.number, key, entry);
    return entry;
  }

  #usage(clients: readonly Client[]): string {
    return usageHeader(usagesOf(this.#read, clients));
  }

  #keep(client: number, key: string, entry: Entry): void {
    if (this.#bytes > Math.max(MIN_TEXT_BYTES, this.#read.clients.count * BYTES_PER_CLIENT)) this.#clear();
    if ((this.#texts.get(client)?.size ?? 0) >= MAX_FORMS) this.#drop(client);
    const forms = this.#texts.get(client) ?? new Map<string, Entry>();
    this.#texts.set(client, forms);
    this.#bytes += entry.bytes - (forms.get(key)?.bytes ?? 0);
    forms.set(key, entry);
  }

  #shared(headers: readonly string[]): readonly string[] {
    const text = headers.join('\n');
    const known = this.#lists.get(text);
    if (known) return known;
    const list = withBase(baseHeaders, headers).map(String);
    this.#lists.set(text, list);
    return list;
  }

  /** Changes of a client and of the settings show in the documents themselves; erased data must not stay here. */
  #forget(event: RecordedEvent): void {
    const { type } = event;
    if (type.startsWith('Inbound') || type === 'NodeUpdated' || type === 'NodeDeleted') this.#clear();
    if (event.type !== 'ClientDeleted') return;
    this.#drop(event.data.client);
    this.#pages.clear();
  }

  #drop(client: number): void {
    const forms = this.#texts.get(client);
    if (!forms) return;
    for (const { bytes } of forms.values()) this.#bytes -= bytes;
    this.#texts.delete(client);
  }

  #clear(): void {
    this.#texts.clear();
    this.#pages.clear();
    this.#lists.clear();
    this.#bytes = 0;
  }
}

interface Source {
  readonly settings: Settings;
  readonly clients: readonly Client[];
  readonly madeAt: number;
  readonly notes: string;
}

/** A rendered subscription with its latest usage. */
class Entry implements Rendered {
  readonly bytes: number;
  readonly #source: Source;
  readonly #shared: readonly string[];
  readonly #own: readonly string[];
  readonly #body: string;
  readonly #digest: string;
  #gzipped: string | null | undefined;
  #counters: readonly Counter[] = [];
  #usage = '';
  #etag = '';

  constructor(source: Source, { headers, ownHeaders, body }: Made) {
    this.#source = source;
    this.#shared = headers;
    this.#own = ownHeaders;
    this.#body = Buffer.from(body).toString('latin1');
    this.#digest = hash('sha256', `${headers.join('\n')}\n${ownHeaders.join('\n')}\n${body}`, 'base64url').slice(0, 22);
    // Twice, for the compressed copy.
    this.bytes = (body.length < COMPRESS_FROM_BYTES ? 1 : 2) * this.#body.length + OVERHEAD_BYTES;
  }

  /** The remaining traffic and time in the name of a link. */
  get notes(): string {
    return this.#source.notes;
  }

  get etag(): string {
    return this.#etag;
  }

  /** Documents are immutable: the same objects have the same content. */
  isMadeFrom(settings: Settings, clients: readonly Client[]): boolean {
    const { settings: used, clients: all } = this.#source;
    return settings === used && clients.length === all.length && clients.every((client, at) => client === all[at]);
  }

  isYoung(now: number): boolean {
    const age = now - this.#source.madeAt;
    return age >= 0 && age <= PAGE_FRESH_MS;
  }

  hasCounters(counters: readonly Counter[]): boolean {
    return counters.every(({ up, down }, at) => up === this.#counters[at]?.up && down === this.#counters[at]?.down);
  }

  /** Sets the usage. The counters of all clients are in the tag, so that no digest is needed for each measurement. */
  count(counters: readonly Counter[], usage: string): void {
    this.#counters = counters;
    this.#usage = usage;
    const tag = /^upload=(\d+); download=(\d+); total=(\d+); expire=(\d+)$/.exec(usage) ?? [];
    this.#etag = `W/"${[this.#digest, ...tag.slice(1).map((number) => Number(number).toString(36))].join('.')}"`;
  }

  headers(): string[] {
    return [...this.#shared, ...this.#own, 'Subscription-Userinfo', this.#usage, 'ETag', this.#etag];
  }

  plain(): Sent {
    return { headers: [...this.headers(), 'Content-Length', String(this.#body.length)], body: this.#body };
  }

  gzipped(): Sent | null {
    this.#gzipped ??= this.#body.length < COMPRESS_FROM_BYTES ? null : compressed(this.#body);
    if (this.#gzipped === null) return null;
    const about = ['Content-Length', String(this.#gzipped.length), 'Content-Encoding', 'gzip'];
    return { headers: [...this.headers(), ...about], body: this.#gzipped };
  }
}

const compressed = (body: string): string => gzipSync(Buffer.from(body, 'latin1'), { level: 5 }).toString('latin1');

/** What the names of links can show of the remaining traffic and time. */
function notesOf(
  { subShowInfo }: Settings,
  clients: readonly Client[],
  counters: readonly Counter[],
  now: number,
): string {
  if (!subShowInfo) return '';
  let notes = '';
  for (const [at, client] of clients.entries()) {
    const { capBytes, expiresAt } = client.spec;
    const counter = counters[at];
    if (counter && (capBytes > 0 || expiresAt !== 0)) notes += `${at} ${remainder(client, counter, now).join(' ')}\n`;
  }
  return notes;
}
