import { z } from 'zod';
import { JsonError, parseJson } from '../../lib/parse-json.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { eventType, type RecordedEvent } from '../catalog.js';
import { type EventMeta, upcast } from './event.js';

/** Digests by the name of the read model, with the version of its fold. Folds of another version give other digests. */
const Digests = z.record(z.string(), z.strictObject({ version: z.int(), digest: z.string() }));
export type Digests = z.infer<typeof Digests>;

const Header = z.strictObject({
  capsule: z.literal(1),
  /** The panel that wrote it. */
  panel: z.string(),
  /** Position of the last event that was read. */
  position: z.int().nonnegative(),
  /** Number of events in the capsule. */
  events: z.int().nonnegative(),
  clients: z.array(z.int()),
  inbounds: z.array(z.int()),
  digests: Digests,
});
export type CapsuleHeader = z.infer<typeof Header>;

const Line = z.looseObject({
  position: z.int().positive(),
  id: z.string(),
  stream: z.string(),
  version: z.int().positive(),
  type: z.string(),
  schema: z.int().positive(),
  meta: z.custom<EventMeta>((meta) => typeof (meta as { at?: unknown } | null)?.at === 'number'),
  data: z.looseObject({}),
});

/** A line of a capsule file. */
export function capsuleLine({ position, id, stream, version, type, meta, data }: RecordedEvent): string {
  return JSON.stringify({
    position,
    id,
    stream,
    version,
    type,
    schema: eventType(type)?.schemaVersion ?? 1,
    meta,
    data,
  });
}

/** The header and the events of a capsule file. Throws `MessageError` that names the first bad line. */
export function readCapsule(text: string): {
  readonly header: CapsuleHeader;
  readonly events: readonly RecordedEvent[];
} {
  const [first = '', ...rest] = text.trimEnd().split('\n');
  const header = Header.safeParse(jsonOf(first));
  if (!header.success) throw new MessageError(message('capsule.headerInvalid'));
  const events = rest.map((line, index) => eventIn(line, index + 2));
  const { events: expected } = header.data;
  if (events.length !== expected) {
    throw new MessageError(message('capsule.incomplete', { expected, found: events.length }));
  }
  return { header: header.data, events };
}

/** The event of a line. `number`: of the line, from 1. Throws `MessageError`. */
export function eventIn(text: string, number: number): RecordedEvent {
  const line = Line.safeParse(jsonOf(text));
  if (!line.success) throw new MessageError(message('capsule.lineInvalid', { line: number }));
  const { schema, ...event } = line.data;
  const definition = eventType(event.type);
  if (!definition || schema > definition.schemaVersion) {
    throw new MessageError(message('capsule.eventUnknown', { line: number, type: event.type }));
  }
  const data = definition.schema.safeParse(upcast(definition, event.data, schema));
  if (!data.success) throw new MessageError(message('capsule.lineInvalid', { line: number }));
  return { ...event, data: data.data } as RecordedEvent;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
