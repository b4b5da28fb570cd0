import { MessageError, textOf } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import type { RecordedEvent } from '../catalog.js';
import { isAboutMany, membersOf } from '../client/members.js';
import { type Fold, loadedState } from './fold.js';
import type { EventLog } from './log.js';
import type { SnapshotStore } from './snapshot-store.js';

/** A fold with its state, and the position up to which the log was applied. */
export interface Folding<S = unknown> {
  readonly fold: Fold<S>;
  readonly state: S;
  position: number;
}

/** Events that are read at once, at most. */
const PAGE = 1000;
/** The work of replaying the events that are read at once, in microseconds. */
const PAGE_COST = 50_000;

/** A fold threw an error. Names the fold and the event. No event was skipped. */
export class FoldFailure extends MessageError {
  override readonly name = 'FoldFailure';

  constructor(fold: string, event: RecordedEvent, cause: unknown) {
    const { position, type } = event;
    super(message('storage.replayFailed', { model: fold, position, type, why: textOf(cause) }), { cause });
  }
}

/** The state of a fold from its newest snapshot, or its initial state. */
export function begin<S>(fold: Fold<S>, snapshots?: Pick<SnapshotStore, 'load'>): Folding<S> {
  const snapshot = snapshots?.load(fold.name, fold.version);
  if (!snapshot) return { fold, state: fold.initial(), position: 0 };
  return { fold, state: loadedState(fold, snapshot.state), position: snapshot.position };
}

/** Applies the events after the position of the folding. Throws `FoldFailure`. */
export function advance(folding: Folding, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    if (event.position <= folding.position) continue;
    try {
      if (isAboutMany(event)) for (const member of membersOf(event)) folding.fold.apply(folding.state, member);
      else folding.fold.apply(folding.state, event);
    } catch (error) {
      throw new FoldFailure(folding.fold.name, event, error);
    }
    folding.position = event.position;
  }
}

/** Microseconds for each event, and for each element of its lists, such as the clients of a poll. */
const EVENT_COST = 30;
const ELEMENT_COST = 1;
/** For each client of an event about many: the folds handle each of them like an event. */
const MEMBER_COST = 10;

/** The estimated work of replaying an event with all folds, in microseconds. */
export function replayCost({ type, data }: RecordedEvent): number {
  const each = isAboutMany({ type }) ? MEMBER_COST : ELEMENT_COST;
  let cost = EVENT_COST;
  for (const member of Object.values(data)) if (Array.isArray(member)) cost += member.length * each;
  return cost;
}

/** Applies the log to all foldings up to its head, or up to `last`. Each event is read once. */
export function catchUp(
  log: Pick<EventLog, 'read'>,
  foldings: readonly Folding[],
  last = Number.POSITIVE_INFINITY,
): void {
  // Folds with a newer snapshot join at its position: the events before it are read only as the others need them.
  const starts = [...new Set(foldings.map(({ position }) => position))].sort((a, b) => a - b);
  for (const [i, from] of starts.entries()) {
    const behind = foldings.filter(({ position }) => position <= from);
    replay(log, behind, from, Math.min(last, starts[i + 1] ?? last));
  }
}

/** Applies the events after `from`, up to `to` or the head of the log. */
function replay(log: Pick<EventLog, 'read'>, foldings: readonly Folding[], from: number, to: number): void {
  const ignored = ignoredByAll(foldings);
  let position = from;
  let size = PAGE;
  while (position < to) {
    const page = log.read(position, Math.min(size, to - position), ignored);
    const events = page.filter((event) => event.position <= to);
    for (const folding of foldings) advance(folding, events);
    if (events.length < page.length || events.length === 0) break;
    position = events.at(-1)?.position ?? to;
    size = pageSize(events, size);
  }
  // All of them applied or ignore each event up to the last one that any of them applied.
  const reached = Math.max(...foldings.map((folding) => folding.position));
  for (const folding of foldings) folding.position = reached;
}

/** The types that none of these folds needs. */
function ignoredByAll([first, ...others]: readonly Folding[]): ReadonlySet<RecordedEvent['type']> {
  const types = [...(first?.fold.ignores ?? [])];
  return new Set(types.filter((type) => others.every(({ fold }) => fold.ignores?.has(type))));
}

/** The events of a page exist at the same time, so a page has fewer of them if they are large. */
function pageSize(events: readonly RecordedEvent[], size: number): number {
  const cost = events.reduce((sum, event) => sum + replayCost(event), 0);
  return cost === 0 ? PAGE : Math.max(1, Math.min(PAGE, 2 * size, Math.floor((events.length * PAGE_COST) / cost)));
}
