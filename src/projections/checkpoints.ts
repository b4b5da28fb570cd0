import { deserialize, serialize } from 'node:v8';
import { eventType } from '../events/catalog.js';
import type { Client } from '../events/client/client-document.js';
import type { CheckpointPart, StoredPart, TakenPart } from '../events/log/checkpoint-store.js';
import { savedState } from '../events/log/fold.js';
import { collectionAt, detached, type Part, type Path, partsOf, withPart } from '../events/log/parts.js';
import type { Folding } from '../events/log/replay.js';
import type { Steps } from '../lib/time/slices.js';
import {
  clientIn,
  type Entries,
  entriesOf,
  type Identity,
  putEntries,
  type Terms,
  termsOf,
} from './checkpoint-columns.js';
import { type Foldings, startFolds } from './foldings.js';
import { clientIps } from './models/client-ips.js';
import { clients, lateClients, putClient, type SavedClients } from './models/clients.js';
import type { DeletedClient } from './models/deleted-clients.js';

/**
 * Sections of clients. Terms change often, identities with their credentials rarely, so most checkpoints share the parts of
 * the latter. Both have the same clients in the same order, a part of terms before the part of their identities.
 */
const [TERMS, IDENTITIES, DELETED, ADDRESSES] = ['terms', 'identities', 'deleted', 'addresses'] as const;
/** Large maps with numbers or counters, and the end of the checkpoint. */
const [ENTRIES, END] = ['entries', 'end'] as const;

/** Numbers of clients in a part. A part ends where the numbers of the next one begin, so a deletion changes one part. */
const NUMBERS = 500;
/** Elements of other large collections in a part: decoding them takes at most three milliseconds. */
const ELEMENTS = 1000;

type Addresses = readonly [client: number, seen: ReadonlyMap<string, number>];

/** The versions of the folds: a checkpoint of others is useless. */
export const checkpointVersion = (): string =>
  ['2', ...Object.values(startFolds()).map(({ fold }) => `${fold.name}:${fold.version}`)].join(' ');

/**
 * The parts of a checkpoint, each encoded when it is requested. `at`: when the last event happened, ms since 1970. States that
 * change meanwhile (`live`) are copied at once; others are read model by model.
 */
export function checkpointParts(foldings: readonly Folding[], at: number, live: boolean): Iterable<CheckpointPart> {
  const saved = ({ fold, state }: Folding) => ({ name: fold.name, saved: savedState(fold, state) });
  const copied = (folding: Folding) => ({ name: folding.fold.name, saved: detached(saved(folding).saved) });
  return encoded(live ? foldings.map(copied) : each(foldings, saved), at);
}

function* each<T, R>(all: Iterable<T>, make: (one: T) => R): Iterable<R> {
  for (const one of all) yield make(one);
}

function* encoded(
  models: Iterable<{ readonly name: string; readonly saved: unknown }>,
  at: number,
): Iterable<CheckpointPart> {
  let count = 0;
  for (const { name, saved } of models)
    for (const part of partsOfModel(name, saved)) {
      count += 1;
      yield part;
    }
  yield { section: END, low: 0, high: 0, content: json({ count, at }) };
}

function* partsOfModel(name: string, saved: unknown): Iterable<CheckpointPart> {
  if (name === clients.name) {
    const { clients: all, deleted } = saved as SavedClients;
    for (const { low, high, items } of byNumbers(all.values(), ({ number }) => number)) {
      const identities = items.map(({ number, keyVersion, identity, credential }) => {
        return { number, keyVersion, identity, credential };
      });
      yield { section: TERMS, low, high, content: json(termsOf(items)) };
      yield { section: IDENTITIES, low, high, content: json(identities) };
    }
    for (const { low, high, items } of byNumbers(deleted, ({ number }) => number))
      yield { section: DELETED, low, high, content: json(items) };
  } else if (name === clientIps.name) {
    for (const { low, high, items } of byNumbers(saved as Map<number, Addresses[1]>, ([number]) => number))
      yield { section: ADDRESSES, low, high, content: serialize(items) };
  } else {
    for (const part of partsOf(saved, ELEMENTS).parts)
      yield { low: 0, high: 0, ...(entriesPart(name, saved, part) ?? { section: name, content: serialize(part) }) };
  }
}

function entriesPart(name: string, saved: unknown, part: Part): Pick<CheckpointPart, 'section' | 'content'> | null {
  if ('whole' in part || !(collectionAt(saved, part.path) instanceof Map)) return null;
  const entries = entriesOf(part.elements);
  return entries && { section: ENTRIES, content: json({ name, path: part.path, ...entries }) };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const parsed = ({ content }: CheckpointPart): unknown => JSON.parse(content.toString());

/** Items in their order, divided where the next range of numbers begins. */
function* byNumbers<T>(items: Iterable<T>, numberOf: (item: T) => number) {
  let part: { low: number; high: number; items: T[] } = { low: 0, high: 0, items: [] };
  let range = -1;
  for (const item of items) {
    const number = numberOf(item);
    if (Math.floor(number / NUMBERS) !== range) {
      if (range >= 0) yield part;
      range = Math.floor(number / NUMBERS);
      part = { low: number, high: number, items: [] };
    }
    part.low = Math.min(part.low, number);
    part.high = Math.max(part.high, number);
    part.items.push(item);
  }
  if (range >= 0) yield part;
}

/** Decoded identities by the digest of their part. Checkpoints share parts, and moments share the documents in them. */
export interface KnownIdentities {
  get(digest: string): readonly Identity[] | undefined;
  set(digest: string, identities: readonly Identity[]): unknown;
}

/** The read models of a checkpoint, and the time of its last event. Null if a part is missing. */
export function* restored(
  position: number,
  parts: Iterable<StoredPart>,
  known: KnownIdentities,
): Steps<{ readonly models: Foldings; readonly at: number } | null> {
  const state = lateClients();
  const seen: [number, Addresses[1]][] = [];
  const saved = new Map<string, unknown>();
  let terms: Terms | null = null;
  let [count, end] = [0, { count: -1, at: 0 }];
  for (const part of parts) {
    if (part.section === END) {
      end = parsed(part) as typeof end;
      break;
    }
    count += 1;
    if (part.section === TERMS) terms = parsed(part) as Terms;
    else if (part.section === IDENTITIES) {
      const identities = known.get(part.digest) ?? (parsed(part) as readonly Identity[]);
      known.set(part.digest, identities);
      for (const [row, identity] of identities.entries()) if (terms) putClient(state, clientIn(terms, row, identity));
    } else if (part.section === DELETED)
      for (const client of parsed(part) as readonly DeletedClient[]) state.deleted.put(client);
    else if (part.section === ADDRESSES) seen.push(...(deserialize(part.content) as Addresses[]).map(mutable));
    else if (part.section === ENTRIES) {
      const { name, path, ...entries } = parsed(part) as Entries & { readonly name: string; readonly path: Path };
      putEntries(collectionAt(saved.get(name), path) as Map<unknown, unknown>, entries);
    } else saved.set(part.section, withPart(saved.get(part.section), deserialize(part.content) as Part));
    yield;
  }
  if (count !== end.count) return null;
  saved.set(clientIps.name, new Map(seen));
  saved.set(clients.name, { clients: new Map(), deleted: [] } satisfies SavedClients);
  const models = startFolds({ load: (name) => ({ position, state: saved.get(name) }) });
  Object.assign(models.clients.state, state);
  return { models, at: end.at };
}

const mutable = ([client, addresses]: Addresses): [number, Addresses[1]] => [client, addresses];

/** The sections that contain data under a key, and the client that the data is about. Null: it may be anywhere. */
export function placesOf(key: string): { readonly client: number; readonly sections: readonly string[] } | null {
  const [, client, version] = /^client:(\d+)\/(\d+|addresses)$/.exec(key) ?? [];
  if (client === undefined) return null;
  return { client: Number(client), sections: version === 'addresses' ? [ADDRESSES] : [IDENTITIES, DELETED] };
}

/** The part without the data under some keys, as a replay returns it after they were destroyed. */
export function withoutKeys(part: TakenPart, keys: ReadonlySet<string>): TakenPart {
  const { section } = part;
  if (section === ADDRESSES) {
    const items = (deserialize(part.content) as Addresses[]).map(([client, seen]): Addresses => {
      return [client, keys.has(`client:${client}/addresses`) ? new Map() : seen];
    });
    return { ...part, content: serialize(items) };
  }
  const items = parsed(part) as readonly (Identity | DeletedClient)[];
  const kept = items.map((item) => (keys.has(`client:${item.number}/${item.keyVersion}`) ? erased(item) : item));
  return { ...part, content: json(kept) };
}

function erased(item: Identity | DeletedClient): object {
  const seals = eventType('ClientAdded')?.seals ?? {};
  const placeholder = (field: 'identity' | 'credential'): unknown =>
    seals[field]?.erased({ client: item.number } as never);
  if (!('identity' in item)) return { ...item, email: (placeholder('identity') as Client['identity']).email };
  return { ...item, identity: placeholder('identity'), credential: placeholder('credential') };
}
