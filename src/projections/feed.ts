import { eventType, type RecordedEvent } from '../events/catalog.js';
import type { Actor } from '../events/log/event.js';

/** Who caused an event, without the address. */
type FeedActor = Omit<Actor, 'ip'>;

/** An event for other programs, without sealed fields and without the address of the actor. */
export interface FeedEvent {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: FeedActor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** The current emails of the clients in `data`, by number. Deleted clients have none. */
  readonly emails?: Readonly<Record<string, string>>;
}

/**
 * Unsealed fields that are left out. A reader gets the sums of a roll-up at the positions where they were taken. The digest
 * of what a node has is one of the keys and passwords in it, so it would confirm a guess of a short password.
 */
const OMITTED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  MeasurementsRolledUp: ['sums', 'nodeSums'],
  NodeInboundApplied: ['digest'],
};

/** `emailOf` returns the current email of a client by its number. */
export function feedEvent(event: RecordedEvent, emailOf: (client: number) => string | undefined): FeedEvent {
  const { position, id, type, stream, version, meta } = event;
  const data = unsealedFieldsOf(event);
  const emails = clientsIn(data).flatMap((client) => {
    const email = emailOf(client);
    return email === undefined ? [] : [[String(client), email] as const];
  });
  return {
    ...{ position, id, type, stream, version, at: meta.at },
    actor: feedActor(meta.actor),
    correlationId: meta.correlationId,
    causationId: meta.causationId,
    data,
    ...(emails.length > 0 ? { emails: Object.fromEntries(emails) } : {}),
  };
}

export function feedActor(actor: Actor): FeedActor {
  const { ip: _, ...shown } = actor;
  return shown;
}

/** The fields that are not sealed. None for an unknown type, which a newer panel stored. */
function unsealedFieldsOf({ type, data }: RecordedEvent): Readonly<Record<string, unknown>> {
  const definition = eventType(type);
  if (!definition) return {};
  const omitted = OMITTED_FIELDS[type] ?? [];
  return Object.fromEntries(
    Object.entries(data).filter(([field]) => !Object.hasOwn(definition.seals, field) && !omitted.includes(field)),
  );
}

/** The numbers of the clients in an event: `client`, and the numbers or rows of `clients`. */
function clientsIn({ client, clients }: Readonly<Record<string, unknown>>): readonly number[] {
  const listed = Array.isArray(clients) ? clients : [];
  const first = (item: unknown): unknown => (Array.isArray(item) ? item[0] : item);
  return [client, ...listed.map(first)].filter((number) => typeof number === 'number');
}
