import { OWNER } from '../../events/access/roles.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Actor } from '../../events/log/event.js';
import type { EventLog } from '../../events/log/log.js';
import { atOnce, type Steps } from '../../lib/time/slices.js';
import { message, type Text } from '../../messages/message.js';
import { textOfEvent } from './event-texts.js';
import { panelText } from './panel-parts.js';

/** The parts of the log from which a history is read. */
export interface HistoryLog extends Pick<EventLog, 'readStream'> {
  /** The events of whole streams, oldest first, in steps; the result has what was appended during them. */
  streamSteps(streams: readonly string[]): Steps<ReadonlyMap<string, readonly RecordedEvent[]>>;
  /** The position and type of the event with this id; null when it is not before the position `before`. */
  place(id: string, before: number): { readonly position: number; readonly type: string } | null;
  /** The event at a position; undefined when there is none, or when it was rolled up. */
  at(position: number): RecordedEvent | undefined;
  /** The newest event of a stream that has one of these types and passes `fits`; null when there is none. */
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits?: (event: RecordedEvent) => boolean,
  ): RecordedEvent | null;
}

/** One event in the history of a client. `at` is in ms since 1970; `because` is the event that caused it. */
export interface HistoryEntry {
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly what: Text;
  readonly by: Text;
  readonly because: { readonly position: number; readonly type: string } | null;
}

/** Events of the inbound that change whether its clients may connect. */
const INBOUND_EVENTS: ReadonlySet<string> = new Set([
  'InboundEnabled',
  'InboundDisabled',
  'InboundDepleted',
  'InboundReactivated',
  'InboundReconfigured',
  'InboundTrafficPeriodStarted',
  'InboundDeleted',
] satisfies RecordedEvent['type'][]);

const ACTORS = {
  user: 'history.byUser',
  token: 'history.byToken',
  bot: 'history.byBot',
  node: 'history.byNode',
} as const;

/** The events of a client, oldest first. */
export function eventsOfClient(log: Pick<HistoryLog, 'readStream'>, client: number): readonly RecordedEvent[] {
  return log.readStream(`client-${client}`, 0, Number.MAX_SAFE_INTEGER);
}

/** `eventsOfClient` of several clients, by number, in steps. */
export function* eventsOfClients(
  log: Pick<HistoryLog, 'streamSteps'>,
  clients: readonly number[],
): Steps<ReadonlyMap<number, readonly RecordedEvent[]>> {
  const events = yield* log.streamSteps(clients.map((client) => `client-${client}`));
  return new Map(clients.map((client) => [client, events.get(`client-${client}`) ?? []]));
}

/** The history of a client; see `historySteps`. */
export const historyOf = (log: HistoryLog, client: number): readonly HistoryEntry[] =>
  atOnce(historySteps(log, eventsOfClient(log, client)));

/**
 * The history of a client from its events, with the events of its inbound between the first of them and its deletion; oldest
 * first. At most the newest `most`. In steps.
 */
export function* historySteps(
  log: HistoryLog,
  own: readonly RecordedEvent[],
  most = Number.POSITIVE_INFINITY,
): Steps<readonly HistoryEntry[]> {
  const added = own.find((event) => event.type === 'ClientAdded');
  const stream = added?.type === 'ClientAdded' ? `inbound-${added.data.inbound}` : null;
  const inbound = stream === null ? [] : ((yield* log.streamSteps([stream])).get(stream) ?? []);
  const first = own[0]?.position ?? 0;
  const last = own.findLast((event) => event.type === 'ClientDeleted')?.position ?? Number.POSITIVE_INFINITY;
  const around = inbound.filter(
    ({ type, position }) => INBOUND_EVENTS.has(type) && position > first && position < last,
  );
  const events = [...own, ...around].sort((a, b) => a.position - b.position);
  const entries: HistoryEntry[] = [];
  for (const event of events.slice(-Math.min(most, events.length))) {
    entries.push(entryOf(log, event));
    yield;
  }
  return entries;
}

function entryOf(log: HistoryLog, event: RecordedEvent): HistoryEntry {
  const { position, type, meta } = event;
  const because = meta.causationId === null ? null : log.place(meta.causationId, position);
  return { position, at: meta.at, type, what: textOfEvent(event), by: actorText(meta), because };
}

/** In place of an actor whom the reader must not know. */
export const OTHER_ADMIN: Actor = { kind: 'user', id: '', name: '', ip: null };

/** Who caused an event. The role is named unless everything was permitted. */
export function actorText({ actor: by }: RecordedEvent['meta']): Text {
  if (by === OTHER_ADMIN) return message('history.byOtherAdmin');
  const { kind, name, ip, role = OWNER } = by;
  if (kind === 'system') return panelText(name);
  const account = message(ACTORS[kind], { name });
  const actor = role === OWNER ? account : message('history.withRole', { actor: account, role });
  return ip === null ? actor : message('history.fromAddress', { actor, ip });
}

/** An entry as a line for a terminal. */
export function entryText({ position, at, what, by, because }: HistoryEntry): Text {
  const entry = { at, position, what, by };
  if (!because) return message('history.entry', entry);
  return message('history.entryWithCause', { ...entry, causePosition: because.position, type: because.type });
}
