import type { z } from 'zod';

/** A fact in the past tense. `data` holds only JSON values; bytes are integers, times are milliseconds since 1970. */
export interface DomainEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** Who caused an event. `name`, `ip` and the `id` of a person in a chat are personal data: they are sealed in the log. */
export interface Actor {
  readonly kind: 'user' | 'token' | 'bot' | 'node' | 'system';
  readonly id: string;
  readonly name: string;
  readonly ip: string | null;
}

export interface EventMeta {
  /** Milliseconds since 1970, by the clock of the panel. */
  readonly at: number;
  readonly actor: Actor;
  /** One request or one round of a reactor: everything it caused has the same value. */
  readonly correlationId: string;
  /** The id of the event that this one follows from. */
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

/** A decided event that follows from an earlier one of the same decision: `cause` is that one's index. */
export type Caused<E extends DomainEvent = DomainEvent> = E & { readonly cause?: number };

/**
 * How one top-level field of an event is kept secret: under which key it is encrypted, and what a reader gets once that
 * key has been destroyed (a value of the same shape that names nobody, so that folds stay total).
 */
export interface Seal<D, V> {
  readonly key: (data: D) => string;
  readonly erased: (data: D) => V;
}

type Upcaster = (older: never) => unknown;
type Data<S extends z.ZodType> = z.output<S>;

/** `kept` for ever, or `measured`: its payload is rolled up and pruned after the retention window. */
export type EventClass = 'kept' | 'measured';

/** An event type: call it to make an event, read its fields to store one. */
export interface EventType<T extends string = string, S extends z.ZodType = z.ZodType> {
  (data: Data<S>): DomainEvent<T, Data<S>>;
  readonly type: T;
  readonly class: EventClass;
  readonly summary: string;
  readonly recordedBy: Readonly<Record<string, string>>;
  readonly schema: S;
  /** One more than the number of upcasters, so it cannot be forgotten. */
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
  /** The fields that only the holder of a key can read. */
  readonly seal?: { readonly [K in keyof Data<S>]?: Seal<Data<S>, Data<S>[K]> };
  /** One pure function for each past version: `{ 1: (v1) => v2 }`. It sees decrypted data. */
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

/** Brings stored data of an older schema version to the current one. Throws when a step is missing. */
export function upcast(type: EventType, data: unknown, from: number): unknown {
  let current = data;
  for (let version = from; version < type.schemaVersion; version += 1) {
    const step = type.upcasters[version];
    if (!step) throw new Error(`${type.type} has no upcaster from schema version ${version}`);
    current = step(current as never);
  }
  return current;
}
