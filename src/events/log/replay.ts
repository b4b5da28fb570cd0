import { MessageError, textOf } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import type { RecordedEvent } from '../catalog.js';
import { type Fold, loadedState } from './fold.js';
import type { EventLog } from './log.js';
import type { SnapshotStore } from './snapshot-store.js';

/** A fold at work: its state, and the position up to which the log is in it. */
export interface Folding<S = unknown> {
  readonly fold: Fold<S>;
  readonly state: S;
  position: number;
}

const PAGE = 1000;

/** A fold that threw: the event and the fold are named, nothing was skipped. */
export class FoldFailure extends MessageError {
  override readonly name = 'FoldFailure';

  constructor(fold: string, event: RecordedEvent, cause: unknown) {
    const { position, type } = event;
    super(message('storage.replayFailed', { model: fold, position, type, why: textOf(cause) }), { cause });
  }
}

/** The state of a fold from its newest snapshot, or from nothing. */
export function begin<S>(fold: Fold<S>, snapshots?: SnapshotStore): Folding<S> {
  const snapshot = snapshots?.load(fold.name, fold.version);
  if (!snapshot) return { fold, state: fold.initial(), position: 0 };
  return { fold, state: loadedState(fold, snapshot.state), position: snapshot.position };
}

/** Applies events that are new to the folding. Throws `FoldFailure`. */
export function advance(folding: Folding, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    if (event.position <= folding.position) continue;
    try {
      folding.fold.apply(folding.state, event);
    } catch (error) {
      throw new FoldFailure(folding.fold.name, event, error);
    }
    folding.position = event.position;
  }
}

/** Brings all foldings to the head, or to `last`, in one reading of the log. */
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
