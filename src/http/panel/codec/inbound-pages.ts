import { hasClients } from '../../../commands/client/credentials.js';
import type { Client } from '../../../events/client/client-document.js';
import type { InboundId } from '../../../events/ids.js';
import type { Inbound } from '../../../events/inbound/inbound-document.js';
import type { Steps } from '../../../lib/time/slices.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { JsonPages } from '../contract/route.js';
import type { InboundReply } from '../contract/schemas/inbound.js';
import { clientTraffic } from './client-traffic.js';
import { BETWEEN_CLIENTS, escaped, escapedSettingsOf, inboundReply, settingsAround } from './inbound-wire.js';

/** Clients with numbers in one range of this size share a page, so that a change makes only some 100 kB again. */
const PAGE_CLIENTS = 128;

/** Bytes up and down, those of all time, and the last traffic of each client. */
type Counts = Float64Array;

/** The JSON of some clients of an inbound, made again when one of them has changed. */
class ClientPage {
  #clients: readonly Client[] = [];
  #settings: Buffer | null = null;
  #counts: Counts = new Float64Array();
  #stats: Buffer | null = null;

  /** Elements of `settings.clients`, escaped for the JSON string that contains them, each after `BETWEEN_CLIENTS`. */
  settings(clients: readonly Client[]): Buffer {
    this.#take(clients);
    this.#settings ??= Buffer.from(escapedSettingsOf(clients));
    return this.#settings;
  }

  /** Elements of `clientStats`, each after a comma. */
  stats(read: ReadModels, clients: readonly Client[]): Buffer {
    this.#take(clients);
    const rows = clients.map((client) => clientTraffic(read, client));
    const counts: Counts = new Float64Array(rows.length * 4);
    for (const [i, { up, down, allTime, lastOnline }] of rows.entries()) {
      counts.set([up, down, allTime, lastOnline], i * 4);
    }
    if (!this.#stats || !sameCounts(counts, this.#counts)) {
      this.#counts = counts;
      this.#stats = Buffer.from(`,${JSON.stringify(rows).slice(1, -1)}`);
    }
    return this.#stats;
  }

  /** Documents are immutable: the same ones have the same text. */
  #take(clients: readonly Client[]): void {
    const known = this.#clients;
    if (clients.length === known.length && clients.every((client, i) => client === known[i])) return;
    this.#clients = clients;
    this.#settings = null;
    this.#stats = null;
  }
}

const sameCounts = (some: Counts, others: Counts): boolean =>
  some.length === others.length && some.every((count, i) => count === others[i]);

/** By inbound, then by range of client numbers. */
type Pages = Map<InboundId, Map<number, ClientPage>>;
const cached = new WeakMap<ReadModels, Pages>();

/** The clients of one page, as they were at the first step. */
type Slots = ReadonlyMap<number, readonly Client[]>;

function slotsOf(read: ReadModels, inbound: Inbound): Slots {
  const slots = new Map<number, Client[]>();
  for (const client of read.clients.ofInbound(inbound.id)) {
    const range = Math.floor(client.number / PAGE_CLIENTS);
    const slot = slots.get(range);
    if (slot) slot.push(client);
    else slots.set(range, [client]);
  }
  return slots;
}

/** Buffers that begin with a separator of this length, without the first one. */
function joined([first, ...others]: readonly Buffer[], length: number): readonly Buffer[] {
  return first ? [first.subarray(length), ...others] : [];
}

/** The JSON of one inbound in pieces: that of `wireInbound`, with `clientStats` and `settings` at the end. */
function* inboundPieces(read: ReadModels, inbound: Inbound, slots: Slots): Steps<readonly Buffer[]> {
  const known = cached.get(read) ?? new Map<InboundId, Map<number, ClientPage>>();
  cached.set(read, known);
  const before = known.get(inbound.id);
  const pages = new Map<number, ClientPage>();
  const [stats, settings]: [Buffer[], Buffer[]] = [[], []];
  const inSettings = hasClients(inbound.protocol);
  for (const [range, clients] of slots) {
    const page = before?.get(range) ?? new ClientPage();
    pages.set(range, page);
    stats.push(page.stats(read, clients));
    if (inSettings) settings.push(page.settings(clients));
    yield;
  }
  known.set(inbound.id, pages);
  const { clientStats: _stats, settings: _settings, ...rest } = inboundReply(read, inbound, [], '');
  const [head, tail] = settingsAround(inbound, slots.size > 0);
  return [
    Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"clientStats":[`),
    ...joined(stats, 1),
    Buffer.from(`],"settings":"${escaped(head)}`),
    ...joined(settings, BETWEEN_CLIENTS.length),
    Buffer.from(`${escaped(tail)}"}`),
  ];
}

/**
 * The JSON of inbounds with all their clients, in pages: only those with changes are made again. Documents are those of the
 * first step. Counters are read with each page, so those of different clients may differ by a poll.
 */
export function* inboundPages(read: ReadModels, inbounds: readonly Inbound[]): Steps<JsonPages<InboundReply[]>> {
  const known = cached.get(read);
  for (const id of known?.keys() ?? []) if (!read.inbounds.get(id)) known?.delete(id);
  const captured = inbounds.map((inbound) => ({ inbound, slots: slotsOf(read, inbound) }));
  const pieces: Buffer[] = [Buffer.from('[')];
  for (const [i, { inbound, slots }] of captured.entries()) {
    if (i > 0) pieces.push(Buffer.from(','));
    pieces.push(...(yield* inboundPieces(read, inbound, slots)));
    yield;
  }
  return new JsonPages<InboundReply[]>([...pieces, Buffer.from(']')]);
}

/** The same for one inbound. */
export function* inboundPage(read: ReadModels, inbound: Inbound): Steps<JsonPages<InboundReply>> {
  return new JsonPages<InboundReply>(yield* inboundPieces(read, inbound, slotsOf(read, inbound)));
}
