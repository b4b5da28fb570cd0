import type { RecordedEvent } from '../../events/catalog.js';
import type { Actor } from '../../events/log/event.js';
import { type HistoryLog, OTHER_ADMIN } from './history.js';

/** An event without its actor, if that is an admin, a token or a chat that `isOwn` does not accept. */
export function concealed<E extends RecordedEvent>(event: E, isOwn: (actor: Actor) => boolean): E {
  const { actor } = event.meta;
  const isOther = (actor.kind === 'user' || actor.kind === 'token' || actor.kind === 'bot') && !isOwn(actor);
  const shown = isOther ? OTHER_ADMIN : actor.ip !== null && !isOwn(actor) ? { ...actor, ip: null } : actor;
  return shown === actor ? event : { ...event, meta: { ...event.meta, actor: shown } };
}

/** The same history, in which only the actors that `isOwn` accepts have a name and an address. */
export function concealActors(log: HistoryLog, isOwn: (actor: Actor) => boolean): HistoryLog {
  const shown = <E extends RecordedEvent>(event: E): E => concealed(event, isOwn);
  return {
    readStream: (...range) => log.readStream(...range).map(shown),
    *streamSteps(streams) {
      const found = yield* log.streamSteps(streams);
      return new Map([...found].map(([stream, events]) => [stream, events.map(shown)]));
    },
    place: (id, before) => log.place(id, before),
    at(position) {
      const event = log.at(position);
      return event && shown(event);
    },
    lastOf(...wanted) {
      const event = log.lastOf(...wanted);
      return event && shown(event);
    },
  };
}
