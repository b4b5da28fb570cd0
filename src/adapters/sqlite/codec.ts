import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { eventType, type PanelEvent, type RecordedEvent } from '../../events/catalog.js';
import { type Actor, type EventMeta, type EventType, upcast } from '../../events/log/event.js';
import { StorageError } from '../../events/log/log.js';
import { chainHashOf, exportLine } from '../../lib/proof/export-line.js';
import { sha256 } from '../../lib/proof/sha256.js';
import { textOf } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { type Keyring, open, seal } from './keyring.js';

/** One row of the events table. */
export interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  /** UUID v7, 16 bytes. */
  readonly id: Buffer;
  readonly type: string;
  readonly schema: number;
  readonly at: number;
  readonly meta: string;
  readonly measured: number;
  readonly encoding: number;
  /** Null after it was rolled up. */
  readonly payload: Buffer | null;
  readonly payload_hash: Buffer;
  readonly hash: Buffer;
}

/** An event that this release does not know or that was modified. Such events are never skipped. */
export class LogDamage extends StorageError {
  override readonly name: string = 'LogDamage';
  readonly position: number;
  /** The text without the position. */
  readonly what: Text;

  constructor(position: number, what: Text, options?: ErrorOptions) {
    super('damaged', message('storage.atPosition', { position, what }), options);
    this.position = position;
    this.what = what;
  }
}

/** The log is not damaged: a newer release wrote it and can read it. */
export class NewerRelease extends LogDamage {}

export const PLAIN = 0;
const DEFLATED = 1;
/** Shorter payloads are not worth compressing, and ciphertext does not shrink. */
const DEFLATE_FROM_BYTES = 1024;

export function chainHash(before: Buffer, row: Omit<EventRow, 'hash' | 'payload'>): Buffer {
  const { position, stream, version, type, schema, at, meta, encoding } = row;
  const header = { position, id: row.id.toString('hex'), stream, version, type, schema, at, meta, encoding };
  return chainHashOf(before, header, row.payload_hash);
}

/** The line of an event in an export. */
export function exportLineOf({ payload_hash: payloadHash, hash, ...row }: EventRow): string {
  return exportLine({ ...row, id: idText(row.id) }, { payloadHash, hash });
}

export function payloadHash(payload: Buffer): Buffer {
  return sha256(payload);
}

export function idText(id: Buffer): string {
  const hex = id.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An encrypted value, with the id of its key. */
export interface Box {
  readonly key: string;
  /** Base64 of nonce, ciphertext and tag. */
  readonly box: string;
}
/** The boxes of an event, one per key, with the names of the fields that each contains. */
export type SealedFields = readonly (Box & { readonly fields: readonly string[] })[];

/** What a box of fields is bound to. `id`: of its event. */
export const boxContext = (id: string, type: string, fields: readonly string[]): string =>
  `${id}|${type}|${fields.join()}`;

/** Encrypts a value with a data key, which is created at first use. */
export function close(keyring: Keyring, key: string, value: unknown, context: string): Box {
  const box = seal(keyring.forSealing(key), Buffer.from(JSON.stringify(value)), context);
  return { key, box: box.toString('base64') };
}

/** The value in a box, or undefined when its key was destroyed. */
export function openBox(keyring: Keyring, { key, box }: Box, context: string): unknown {
  const opener = keyring.forOpening(key);
  if (opener === null) return undefined;
  const bytes = Buffer.from(box, 'base64');
  const openWith = (known: Buffer): unknown => JSON.parse(open(known, bytes, context).toString());
  try {
    return openWith(opener);
  } catch (error) {
    const other = keyring.forOpening(key, { reread: true });
    if (other === null) throw error;
    return openWith(other);
  }
}

/** Moves the sealed fields of `data` into boxes. A box can be opened only in this event, with this type and these fields. */
function sealFields(
  type: EventType,
  data: Record<string, unknown>,
  id: string,
  keyring: Keyring,
): Record<string, unknown> {
  const fields = sealedFields(type);
  if (fields.length === 0) return data;
  const stored: Record<string, unknown> = {};
  for (const field of Object.keys(data)) if (type.seals[field] === undefined) stored[field] = data[field];
  const sealedGroups: { key: string; fields: string[]; values: unknown[] }[] = [];
  for (const [field, { key }] of fields) {
    const name = key(data);
    let box = sealedGroups.find((other) => other.key === name);
    if (!box) sealedGroups.push((box = { key: name, fields: [], values: [] }));
    box.fields.push(field);
    box.values.push(data[field]);
  }
  stored['$sealed'] = sealedGroups.map(({ key, fields: held, values }) => ({
    fields: held,
    ...close(keyring, key, values, boxContext(id, type.type, held)),
  })) satisfies SealedFields;
  return stored;
}

const sealedFields = memo((type: EventType) => Object.entries(type.seals));

function memo<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

function openFields(
  type: EventType,
  stored: Record<string, unknown>,
  id: string,
  keyring: Keyring,
): Record<string, unknown> {
  const { $sealed: sealed = [], ...data } = stored as { $sealed?: SealedFields };
  const opened: Record<string, unknown> = data;
  for (const box of sealed) {
    const reduced = keyring.reduced?.boxOf(id, box) ?? box;
    const values = openBox(keyring, reduced, boxContext(id, type.type, box.fields)) as unknown[] | undefined;
    for (const [i, field] of box.fields.entries()) opened[field] = values ? values[i] : type.seals[field]?.erased(data);
  }
  return opened;
}

/** Validates an event against its schema and encrypts its sealed fields. Throws for an invalid event. */
export function encodePayload(
  event: PanelEvent,
  id: string,
  keyring: Keyring,
): { encoding: number; payload: Buffer; type: EventType } {
  const type = eventType(event.type);
  if (!type) throw new Error(`Event type ${event.type} is not in the catalogue`);
  const data = type.schema.parse(event.data) as Record<string, unknown>;
  const stored = sealFields(type, data, id, keyring);
  const plain = Buffer.from(JSON.stringify(stored));
  const worthwhile = plain.length >= DEFLATE_FROM_BYTES && sealedFields(type).length === 0;
  if (!worthwhile) return { encoding: PLAIN, payload: plain, type };
  return { encoding: DEFLATED, payload: deflateRawSync(plain, { level: 6 }), type };
}

/** The stored payload: JSON with encrypted boxes, without padding. Null when it was rolled up. */
export function storedData(row: Pick<EventRow, 'payload' | 'encoding'>): Record<string, unknown> | null {
  if (row.payload === null) return null;
  const plain = row.encoding === DEFLATED ? inflateRawSync(row.payload) : row.payload;
  return JSON.parse(plain.toString()) as Record<string, unknown>;
}

/** The definition of the type of a row. Throws `NewerRelease` for a type or a schema that this release does not know. */
export function knownType(row: Pick<EventRow, 'position' | 'type' | 'schema'>) {
  const type = eventType(row.type);
  if (!type) throw new NewerRelease(row.position, message('storage.eventTypeUnknown', { type: row.type }));
  if (row.schema > type.schemaVersion) {
    throw new NewerRelease(
      row.position,
      message('storage.schemaNewer', { type: row.type, schema: row.schema, known: type.schemaVersion }),
    );
  }
  return type;
}

/** Decrypts and upcasts a stored row. Throws `LogDamage` for an unreadable event and an unknown type or schema. */
export function decode(row: EventRow, keyring: Keyring): RecordedEvent {
  const type = knownType(row);
  try {
    const stored = storedData(row);
    if (stored === null) throw new Error('its payload was pruned');
    const id = idText(row.id);
    const data = openFields(type, stored, id, keyring);
    const current = row.schema === type.schemaVersion ? data : type.schema.parse(upcast(type, data, row.schema));
    const { position, stream, version } = row;
    return {
      type: row.type,
      data: current,
      position,
      id,
      stream,
      version,
      meta: decodeMeta(row, keyring),
    } as RecordedEvent;
  } catch (error) {
    const what = message('storage.eventUnreadable', { type: row.type, why: textOf(error) });
    throw new LogDamage(row.position, what, { cause: error });
  }
}

/**
 * The `meta` column, which is never changed. The name, the address and the chat id of a person are sealed with a key of the
 * month. Ids are UUIDs or keyed digests, because an id that a caller chose may identify a person.
 */
export interface StoredMeta {
  readonly actor: {
    readonly kind: Actor['kind'];
    readonly id: string;
    readonly name?: string;
    readonly role?: string;
    readonly admin?: string;
    readonly who?: Box;
    readonly by?: Box;
  };
  readonly correlation: string;
  readonly cause?: string;
  readonly command?: string;
}

export type Stamp = Pick<EventMeta, 'actor' | 'correlationId' | 'commandId'> & { readonly at: number };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const OPAQUE = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})$/;

/** The stored form of an id: a UUID is unchanged, any other id becomes its keyed digest. */
export function opaqueId(id: string, keyring: Keyring): string {
  return UUID.test(id) ? id : keyring.blind(id);
}

export function encodeMeta(actor: StoredMeta['actor'], stamp: Stamp, cause: string | null): string {
  const stored: StoredMeta = {
    actor,
    correlation: stamp.correlationId,
    ...(cause === null ? {} : { cause }),
    ...(stamp.commandId === null ? {} : { command: stamp.commandId }),
  };
  return JSON.stringify(stored);
}

/** What the box of an actor is bound to. */
export const actorContext = ({ kind, id }: Pick<StoredMeta['actor'], 'kind' | 'id'>): string => `${kind}|${id}|actor`;

function openedActor(actor: StoredMeta['actor'], correlation: string, keyring: Keyring): unknown {
  if (actor.by) return openBox(keyring, actor.by, actorContext(actor));
  // Earlier releases sealed the actor again for each command.
  return actor.who ? openBox(keyring, actor.who, `${correlation}|actor`) : [actor.name ?? '', null];
}

/** The role of the actor and the admin of a token, where they were recorded. */
const standing = ({ role, admin }: StoredMeta['actor']): Pick<Actor, 'role' | 'admin'> => ({
  ...(role === undefined ? {} : { role }),
  ...(admin === undefined ? {} : { admin }),
});

/** The `meta` column with the name and the address of the actor; "erased" once their key is destroyed. */
export function decodeMeta(row: Pick<EventRow, 'at' | 'meta'>, keyring: Keyring): EventMeta {
  const { actor, correlation, cause, command } = JSON.parse(row.meta) as StoredMeta;
  const who = openedActor(actor, correlation, keyring);
  const [name, ip, id = actor.id] = (who ?? ['erased', null]) as [string, string | null, string?];
  // Earlier releases stored ids without a digest.
  const shown = (kept: string): string => (OPAQUE.test(kept) ? kept : keyring.blind(kept));
  return {
    at: row.at,
    actor: { kind: actor.kind, id, name, ip, ...standing(actor) },
    correlationId: shown(correlation),
    causationId: cause === undefined ? null : shown(cause),
    commandId: command === undefined ? null : shown(command),
  };
}
