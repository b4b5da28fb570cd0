import type { RecordedEvent } from '../../events/catalog.js';
import { emailKey } from '../../events/client/client-document.js';
import type { EventLog } from '../../events/log/log.js';
import { Redaction } from './redaction.js';
import { clientsIn, type Subjects, selected } from './selection.js';

const PAGE = 1000;
/** How many events before and after a position name the clients of a capsule around it. */
const AROUND = 50;

/** What a capsule is about: the events around a position, or a client by its present or a former email. */
export type Topic = { readonly around: number } | { readonly email: string } | { readonly client: number };

/** The events of a log. */
type Events = () => Iterable<RecordedEvent>;

/** Reads a log page by page. */
export function* eventsOf(log: Pick<EventLog, 'read'>, last = Number.POSITIVE_INFINITY): Generator<RecordedEvent> {
  for (let position = 0; ; ) {
    const page = log.read(position, PAGE);
    for (const event of page) {
      if (event.position > last) return;
      yield event;
    }
    const end = page.at(-1);
    if (!end) return;
    position = end.position;
  }
}

/** The clients that a topic names, with their inbounds. No client: the topic names only inbounds, settings or the like. */
export function subjectsOf(events: Events, topic: Topic): Subjects {
  const clients = new Set<number>('client' in topic ? [topic.client] : []);
  const inbounds = new Set<number>();
  for (const event of events()) {
    if ('around' in topic && Math.abs(event.position - topic.around) <= AROUND) {
      for (const client of clientsIn(event)) clients.add(client);
      if ('inbound' in event.data && typeof event.data.inbound === 'number') inbounds.add(event.data.inbound);
    }
    if (!('email' in topic) || !('identity' in event.data)) continue;
    if (emailKey(event.data.identity.email) === emailKey(topic.email)) clients.add(event.data.client);
  }
  for (const event of events()) {
    if (event.type === 'ClientAdded' && clients.has(event.data.client)) inbounds.add(event.data.inbound);
  }
  return { clients, inbounds };
}

/** The events of a capsule, without names and secrets, in the order of the log. */
export function* capsuleEvents(events: Events, subjects: Subjects): Generator<RecordedEvent> {
  const redaction = new Redaction();
  for (const event of events()) {
    const kept = selected(event, subjects);
    if (kept) yield redaction.event(kept);
  }
}
