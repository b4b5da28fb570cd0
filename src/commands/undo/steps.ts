import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventType, type RecordedEvent } from '../../events/catalog.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { sameJson } from '../../lib/json.js';

/** A document before and after a command; null = it did not exist. `erased`: the personal data or secrets of `before` are. */
export interface Step<D> {
  readonly before: D | null;
  readonly after: D | null;
  readonly erased: boolean;
}

/** Documents that are folded before other work gets a turn. */
const DOCUMENTS_PER_TURN = 20;

/** A kind of document: which one an event is about, and the events that it is folded from. */
export interface Noun<K> {
  readonly numberIn: (event: RecordedEvent) => K | null;
  /** The types that the document is folded from. The first one begins it. */
  readonly types: readonly RecordedEvent['type'][];
}

/** Folds each document that the events changed from its own stream: before them, and after them. */
export async function stepsOf<K, D>(
  log: Pick<LogSearch, 'earlier'>,
  events: readonly RecordedEvent[],
  { numberIn, types }: Noun<K>,
  evolve: (documents: Map<K, D>, event: RecordedEvent) => void,
): Promise<ReadonlyMap<K, Step<D>>> {
  const changed = new Map<K, RecordedEvent[]>();
  for (const event of events) {
    const number = numberIn(event);
    if (number !== null) changed.set(number, [...(changed.get(number) ?? []), event]);
  }
  const steps = new Map<K, Step<D>>();
  for (const [number, own] of changed) {
    const [first] = own;
    if (!first) continue;
    const earlier: RecordedEvent[] = [];
    for (const event of log.earlier(first.stream, first.position, types)) {
      earlier.push(event);
      if (event.type === types[0]) break;
    }
    const documents = new Map<K, D>();
    for (const event of earlier.toReversed()) evolve(documents, event);
    const before = documents.get(number) ?? null;
    for (const event of own) evolve(documents, event);
    const after = documents.get(number) ?? null;
    steps.set(number, { before, after, erased: before !== null && hasErased(log, earlier) });
    if (steps.size % DOCUMENTS_PER_TURN === 0) await nextTurn();
  }
  return steps;
}

/** Whether the newest value of a sealed field was erased. `events`: newest first. */
export function hasErased(log: Pick<LogSearch, 'earlier'>, events: readonly RecordedEvent[]): boolean {
  const known = new Set<string>();
  for (const { type, data } of events) {
    for (const [field, seal] of Object.entries(eventType(type)?.seals ?? {})) {
      if (known.has(field)) continue;
      known.add(field);
      const { [field]: value } = data as Readonly<Record<string, unknown>>;
      if (sameJson(value, seal.erased(data)) && isDestroyed(log, seal.key(data))) return true;
    }
  }
  return false;
}

/** Whether a data key was destroyed. */
function isDestroyed(log: Pick<LogSearch, 'earlier'>, key: string): boolean {
  for (const event of log.earlier('keys', Number.MAX_SAFE_INTEGER, ['DataKeyDestroyed']))
    if (event.type === 'DataKeyDestroyed' && event.data.key === key) return true;
  return false;
}
