import type { z } from 'zod';

/** A fact in the past tense. `data` holds only JSON values; bytes are integers, times are milliseconds since 1970. */
interface DomainEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** Who caused an event. `name`, `ip` and the `id` of a chat user are personal data and sealed in the log. */
export interface Actor {
  readonly kind: 'user' | 'token' | 'bot' | 'node' | 'system';
  readonly id: string;
  readonly name: string;
  readonly ip: string | null;
  /** The role of the admin or the token at that time. Absent for other actors, and in events of earlier releases. */
  readonly role?: string;
  /** Number of the admin to whom the token belongs; absent without one. */
  readonly admin?: string;
}

export interface EventMeta {
  /** Milliseconds since 1970, by the clock of the panel. */
  readonly at: number;
  readonly actor: Actor;
  /** Id of a request or of a round of a reactor. All events that it causes have this value. */
  readonly correlationId: string;
  /** The id of the event that caused this one. */
  readonly causationId: string | null;
  /** A digest of the caller's `Idempotency-Key`. */
  readonly commandId: string | null;
}

/** An event as the log holds it. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  /** Place in the whole log, from 1, without gaps. */
  readonly position: number;
  readonly id: string;
  readonly stream: string;
  /** Place in the stream, from 1, without gaps. */
  readonly version: number;
  readonly meta: EventMeta;
};

/** An event of a decision. `cause` is the index of the event of the same decision that caused it. */
export type Caused<E extends DomainEvent = DomainEvent> = E & { readonly cause?: number };

/**
 * How a top-level field of an event is encrypted: the name of its data key, and the value that readers get after that key
 * was destroyed. That value has the same shape and no personal data, so that folds can process it.
 */
interface Seal<D, V> {
  readonly key: (data: D) => string;
  readonly erased: (data: D) => V;
}

type Upcaster = (older: never) => unknown;
type Data<S extends z.ZodType> = z.output<S>;

/** `kept` forever, or `measured`: its payload is rolled up and pruned after the retention window. */
type EventClass = 'kept' | 'measured';

/** An event type: call it to make an event, read its fields to store one. */
export interface EventType<T extends string = string, S extends z.ZodType = z.ZodType> {
  (data: Data<S>): DomainEvent<T, Data<S>>;
  readonly type: T;
  readonly class: EventClass;
  readonly summary: string;
  readonly recordedBy: Readonly<Record<string, string>>;
  readonly schema: S;
  /** Derived: the number of upcasters plus 1. */
  readonly schemaVersion: number;
  readonly upcasters: Readonly<Record<number, Upcaster>>;
  readonly stream: (data: Data<S>) => string;
  readonly seals: Readonly<Record<string, Seal<Data<S>, unknown>>>;
}

export type EventOf<D> = D extends EventType<infer T, infer S> ? DomainEvent<T, z.output<S>> : never;

interface EventSpec<S extends z.ZodType> {
  /** What happened, for docs/events.md. */
  readonly summary: string;
  /** Which commands record it, and when each of them does. */
  readonly recordedBy: Readonly<Record<string, string>>;
  readonly data: S;
  readonly stream: (data: Data<S>) => string;
  readonly class?: EventClass;
  /** The encrypted fields. */
  readonly seal?: { readonly [K in keyof Data<S>]?: Seal<Data<S>, Data<S>[K]> };
  /** One pure function for each past version: `{ 1: (v1) => v2 }`. Its input is decrypted. */
  readonly upcast?: Readonly<Record<number, Upcaster>>;
}

export function defineEvent<const T extends string, S extends z.ZodType>(type: T, spec: EventSpec<S>): EventType<T, S> {
  const upcasters = spec.upcast ?? {};
  const make = (data: Data<S>): DomainEvent<T, Data<S>> => ({ type, data });
  return Object.assign(make, {
    type,
    class: spec.class ?? ('kept' as const),
    summary: spec.summary,
    recordedBy: spec.recordedBy,
    schema: spec.data,
    schemaVersion: Object.keys(upcasters).length + 1,
    upcasters,
    stream: spec.stream,
    seals: (spec.seal ?? {}) as Readonly<Record<string, Seal<Data<S>, unknown>>>,
  });
}

/** Converts stored data of an older schema version to the current one. Throws if an upcaster is missing. */
export function upcast(type: EventType, data: unknown, from: number): unknown {
  let current = data;
  for (let version = from; version < type.schemaVersion; version += 1) {
    const step = type.upcasters[version];
    if (!step) throw new Error(`${type.type} has no upcaster from schema version ${version}`);
    current = step(current as never);
  }
  return current;
}
