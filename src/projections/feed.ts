import { eventType, type RecordedEvent } from '../events/catalog.js';

/** An event as it is told to programs outside: whatever is sealed in the log is left out, and so are addresses. */
export interface FeedEvent {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** The emails that the clients of `data` have now, by their numbers; none for a client that is gone. */
  readonly emails?: Readonly<Record<string, string>>;
}

/** Unsealed fields that a follower does not get: the sums of a roll-up are told in the places where they were taken. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = { MeasurementsRolledUp: ['sums', 'nodeSums'] };

/** `emailOf` gives the email of a client, by its number, as it is now. */
export function feedEvent(event: RecordedEvent, emailOf: (client: number) => string | undefined): FeedEvent {
  const { position, id, type, stream, version, meta } = event;
  const data = openOf(event);
  const emails = clientsIn(data).flatMap((client) => {
    const email = emailOf(client);
    return email === undefined ? [] : [[String(client), email] as const];
  });
  const { kind, id: actor, name } = meta.actor;
  return {
    ...{ position, id, type, stream, version, at: meta.at },
    actor: { kind, id: actor, name },
    correlationId: meta.correlationId,
    causationId: meta.causationId,
    data,
    ...(emails.length > 0 ? { emails: Object.fromEntries(emails) } : {}),
  };
}

/** The fields that are sealed under no key. What a newer panel stored is not known here, and so nothing of it is told. */
function openOf({ type, data }: RecordedEvent): Readonly<Record<string, unknown>> {
  const definition = eventType(type);
  if (!definition) return {};
  const left = LEFT_OUT[type] ?? [];
  return Object.fromEntries(
    Object.entries(data).filter(([field]) => !Object.hasOwn(definition.seals, field) && !left.includes(field)),
  );
}

/** The numbers of the clients that an event is about: its one client, or each of a list, alone or before its bytes. */
function clientsIn({ client, clients }: Readonly<Record<string, unknown>>): readonly number[] {
  const listed = Array.isArray(clients) ? clients : [];
  const first = (item: unknown): unknown => (Array.isArray(item) ? item[0] : item);
  return [client, ...listed.map(first)].filter((number) => typeof number === 'number');
}
