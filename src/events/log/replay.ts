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

const PAGE = 1000;

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

/** Applies the log to all foldings up to its head, or up to `last`, in one pass. */
export function catchUp(
  log: Pick<EventLog, 'read'>,
  foldings: readonly Folding[],
  last = Number.POSITIVE_INFINITY,
): void {
  let position = Math.min(...foldings.map((folding) => folding.position));
  while (position < last) {
    const page = log.read(position, PAGE).filter((event) => event.position <= last);
    if (page.length === 0) return;
    for (const folding of foldings) advance(folding, page);
    position = page.at(-1)?.position ?? position;
  }
}
