import type { PanelEvent, RecordedEvent } from '../catalog.js';
import type { ClientNumber, InboundId } from '../ids.js';
import type { Caused } from '../log/event.js';
import { ClientDeleted, ClientTrafficReset, ClientUpdated } from './client.js';
import { ClientsDeleted, ClientsTrafficReset, ClientsUpdated, streamOfMany } from './many-clients.js';

type TypeName = PanelEvent['type'];

/** The event about many clients for each event about one that has such a form. */
const MANY: Partial<Record<TypeName, TypeName>> = {
  ClientUpdated: 'ClientsUpdated',
  ClientDeleted: 'ClientsDeleted',
  ClientTrafficReset: 'ClientsTrafficReset',
};

/** The type of the members of each event about many clients. */
const MEMBER: Readonly<Record<string, TypeName | undefined>> = Object.fromEntries(
  Object.entries(MANY).map(([single, many]) => [many, single as TypeName]),
);

/** From this number of clients of one stream on, their events are recorded as one. */
export const MANY_FROM = 8;

const known = new WeakMap<RecordedEvent, readonly RecordedEvent[]>();

/**
 * An event about many clients as the events of each of them, in order; any other event as it is. The members have the
 * position, the id and the cause of the event, and the stream of their client. Folds see only members.
 */
export function membersOf(event: RecordedEvent): readonly RecordedEvent[] {
  switch (event.type) {
    case 'ClientsUpdated':
    case 'ClientsDeleted':
    case 'ClientsTrafficReset': {
      // All read models and their readers share one list.
      const members = known.get(event) ?? rowsOf(event).map((row) => recordedAs(event, memberOf(event.type, row)));
      known.set(event, members);
      return members;
    }
    default:
      return [event];
  }
}

/** `membersOf` of each event. The list itself if it has no event about many clients. */
export function allMembersOf(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return events.some(isAboutMany) ? events.flatMap(membersOf) : events;
}

/** Whether an event is about many clients. */
export const isAboutMany = ({ type }: { readonly type: string }): boolean =>
  type === 'ClientsUpdated' || type === 'ClientsDeleted' || type === 'ClientsTrafficReset';

type AboutMany = Extract<PanelEvent, { type: 'ClientsUpdated' | 'ClientsDeleted' | 'ClientsTrafficReset' }>;

/** A row of an event about many clients: the number of a client, and what is recorded about it. */
type Row = readonly [client: ClientNumber, ...values: unknown[]];

const rowsOf = ({ data }: AboutMany): readonly Row[] => data.clients;

function memberOf(type: AboutMany['type'], [client, ...values]: Row): PanelEvent {
  switch (type) {
    case 'ClientsUpdated': {
      const [changes] = values as [Changes];
      return ClientUpdated({ client, changes });
    }
    case 'ClientsDeleted': {
      const [inbound] = values as [InboundId];
      return ClientDeleted({ client, inbound });
    }
    case 'ClientsTrafficReset': {
      const [up, down] = values as [number, number];
      return ClientTrafficReset({ client, up, down });
    }
  }
}

type Changes = Extract<PanelEvent, { type: 'ClientUpdated' }>['data']['changes'];

function recordedAs({ position, id, version, meta }: RecordedEvent, { type, data }: PanelEvent): RecordedEvent {
  const { client } = data as { readonly client: ClientNumber };
  return { type, data, position, id, stream: `client-${client}`, version, meta } as RecordedEvent;
}

/** The stream of events about many clients for the stream of one client; null for any other stream. */
export function sharedStream(stream: string): string | null {
  const client = clientOf(stream);
  return client === null ? null : streamOfMany(client);
}

/** The number of the client to whom a stream belongs; null for any other stream. */
const clientOf = (stream: string): number | null =>
  stream.startsWith('client-') ? Number(stream.slice('client-'.length)) : null;

/** The types of the events that can have members of these types. */
export const typesWithMembers = (types: readonly TypeName[]): readonly TypeName[] =>
  types.flatMap((type) => MANY[type] ?? []);

/** The type of the members of an event about many clients; null for any other type. */
export const memberType = (type: string): TypeName | null => MEMBER[type] ?? null;

/**
 * Event types that were chosen, and those of the events about many clients that mean the same: a filter by `ClientDeleted`
 * must not miss a deletion because it was one of many.
 */
export const withMany = (types: readonly string[]): readonly string[] => [
  ...new Set(types.flatMap((type) => [type, MANY[type as TypeName] ?? type])),
];

/** The event of one stream among the members of an event. Makes only this one, because histories read many events. */
export function memberIn(event: RecordedEvent, stream: string): RecordedEvent | undefined {
  switch (event.type) {
    case 'ClientsUpdated':
    case 'ClientsDeleted':
    case 'ClientsTrafficReset': {
      const client = clientOf(stream);
      const row = rowsOf(event).find(([number]) => number === client);
      return row && recordedAs(event, memberOf(event.type, row));
    }
    default:
      return event.stream === stream ? event : undefined;
  }
}

/**
 * The events of a decision. Successive events of one type about many clients become one event for each stream. They are about
 * different clients, so their order among each other has no effect.
 */
export function joined(events: readonly Caused<PanelEvent>[]): readonly Caused<PanelEvent>[] {
  if (events.length < MANY_FROM) return events;
  const kept: Caused<PanelEvent>[] = [];
  /** The new index of each event. */
  const moved: number[] = [];
  const keep = ({ cause, ...event }: Caused<PanelEvent>, indexes: readonly number[]): void => {
    for (const index of indexes) moved[index] = kept.length;
    kept.push(cause === undefined ? event : { ...event, cause: moved[cause] ?? cause });
  };
  for (let start = 0; start < events.length; ) {
    const end = endOfRun(events, start);
    if (end - start < MANY_FROM) for (const [i, event] of events.slice(start, end).entries()) keep(event, [start + i]);
    else for (const group of groupsIn(events, start, end)) keepGroup(group, keep);
    start = end;
  }
  return kept;
}

type Indexed = readonly [index: number, event: Caused<PanelEvent>];

function keepGroup(group: readonly Indexed[], keep: (event: Caused<PanelEvent>, indexes: readonly number[]) => void) {
  const [first] = group;
  const many = group.length < MANY_FROM ? null : asOne(group.map(([, event]) => event));
  if (!first || !many) for (const [index, event] of group) keep(event, [index]);
  else
    keep(
      { ...many, ...(first[1].cause === undefined ? {} : { cause: first[1].cause }) },
      group.map(([index]) => index),
    );
}

/** The index after the last event with the type and the cause of the one at `start`. Each client is in a run once. */
function endOfRun(events: readonly Caused<PanelEvent>[], start: number): number {
  const first = events[start];
  if (!first || MANY[first.type] === undefined) return start + 1;
  const clients = new Set<number>();
  let end = start;
  for (let event: Caused<PanelEvent> | undefined = first; event; event = events[end]) {
    if (event.type !== first.type || event.cause !== first.cause || !('client' in event.data)) break;
    if (clients.has(event.data.client)) break;
    clients.add(event.data.client);
    end += 1;
  }
  return end;
}

/** The events by the stream in which they are as one. */
function groupsIn(events: readonly Caused<PanelEvent>[], start: number, end: number): Iterable<readonly Indexed[]> {
  const groups = new Map<string, Indexed[]>();
  for (let index = start; index < end; index += 1) {
    const event = events[index];
    if (!event || !('client' in event.data)) continue;
    const stream = streamOfMany(event.data.client);
    const group = groups.get(stream);
    if (group) group.push([index, event]);
    else groups.set(stream, [[index, event]]);
  }
  return groups.values();
}

/** Events of one type, which is that of the first one, as one event. */
function asOne(events: readonly PanelEvent[]): AboutMany | null {
  switch (events[0]?.type) {
    case 'ClientUpdated': {
      const rows: Rows<'ClientsUpdated'> = [];
      for (const { type, data } of events) if (type === 'ClientUpdated') rows.push([data.client, data.changes]);
      return ClientsUpdated({ clients: rows });
    }
    case 'ClientDeleted': {
      const rows: Rows<'ClientsDeleted'> = [];
      for (const { type, data } of events) if (type === 'ClientDeleted') rows.push([data.client, data.inbound]);
      return ClientsDeleted({ clients: rows });
    }
    case 'ClientTrafficReset': {
      const rows: Rows<'ClientsTrafficReset'> = [];
      for (const { type, data } of events)
        if (type === 'ClientTrafficReset') rows.push([data.client, data.up, data.down]);
      return ClientsTrafficReset({ clients: rows });
    }
    default:
      return null;
  }
}

type Rows<T extends AboutMany['type']> = Extract<AboutMany, { type: T }>['data']['clients'];
