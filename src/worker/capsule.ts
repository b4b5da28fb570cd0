import { panelState } from '../commands/state.js';
import type { RecordedEvent } from '../events/catalog.js';
import { type CapsuleHeader, capsuleLine, type Digests, eventIn } from '../events/log/capsule-file.js';
import { type Fold, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import { advance, begin, type Folding } from '../events/log/replay.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import { capsuleEvents, eventsOf, subjectsOf, type Topic } from '../projections/capsule/capsule.js';
import { startFolds } from '../projections/foldings.js';

/** The events after a position that a capsule around it includes. */
const EVENTS_AFTER = 50;
/** Events that are folded together. */
const BATCH = 500;

/**
 * Passes the events of a capsule to `write`, each as a line, and returns the header, which belongs before them. Null: no
 * client has or had this name. `panel`: the version of this panel; `head`: the last position that is read.
 */
export function writeCapsule(
  log: Pick<EventLog, 'read'>,
  topic: Topic,
  { panel, head }: { readonly panel: string; readonly head: number },
  write: (line: string) => void,
): CapsuleHeader | null {
  const position = 'around' in topic ? Math.min(head, topic.around + EVENTS_AFTER) : head;
  const all = () => eventsOf(log, position);
  const subjects = subjectsOf(all, topic);
  if (!('around' in topic) && subjects.inbounds.size === 0) return null;
  const folds = capsuleFolds();
  let events = 0;
  let batch: RecordedEvent[] = [];
  const fold = (): void => {
    for (const folding of folds) advance(folding, batch);
    batch = [];
  };
  for (const event of capsuleEvents(all, subjects)) {
    const line = capsuleLine(event);
    events += 1;
    batch.push(readAgain(line, event));
    write(`${line}\n`);
    if (batch.length === BATCH) fold();
  }
  fold();
  const { clients, inbounds } = subjects;
  return {
    ...{ capsule: 1, panel, position, events },
    ...{ clients: [...clients], inbounds: [...inbounds], digests: digestsOf(folds) },
  };
}

/** The event as a reader of the capsule gets it. Throws `MessageError` if the capsule could not be replayed. */
function readAgain(line: string, { position, type }: RecordedEvent): RecordedEvent {
  try {
    return eventIn(line, 0);
  } catch (error) {
    if (error instanceof MessageError) throw new MessageError(message('capsule.eventUnwritable', { position, type }));
    throw error;
  }
}

/** The digest of each read model and of the write state after these events. Throws `FoldFailure`, which names the event. */
export function replayed(events: readonly RecordedEvent[]): Digests {
  const folds = capsuleFolds();
  for (const folding of folds) advance(folding, events);
  return digestsOf(folds);
}

const capsuleFolds = (): readonly Folding[] => [...Object.values(startFolds()), begin(panelState)];

function digestsOf(folds: readonly Folding[]): Digests {
  return Object.fromEntries(
    folds.map(({ fold, state }) => [
      fold.name,
      { version: fold.version, digest: stateDigest(fold as Fold<unknown>, state) },
    ]),
  );
}
