import { inflateRawSync } from 'node:zlib';
import { escaped } from '../escaped.js';
import { isObject } from '../json.js';
import { sha256 } from './sha256.js';

/** An event as it is stored, without its two hashes. */
interface StoredEvent {
  readonly position: number;
  /** UUID, lower case. */
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly schema: number;
  /** ms since 1970. */
  readonly at: number;
  /** JSON. */
  readonly meta: string;
  /** 0 = JSON, 1 = raw deflate of JSON. Both may be followed by padding: spaces or zeros. */
  readonly encoding: number;
  /** Null when it was rolled up. */
  readonly payload: Buffer | null;
}

/** The hashes of an event. */
interface Hashes {
  readonly payloadHash: Buffer;
  readonly hash: Buffer;
}

const NOT_ASCII = /[^\x20-\x7e]/;
/** The joiners stay, which Persian words and emoji are made with. */
const HIDDEN = /\p{Cc}|(?![\u200c\u200d])[\p{Cf}\u2028\u2029]/gu;
const PLAIN = 0;
const DEFLATED = 1;
const HASH_BYTES = 32;
const SPACE = 0x20;
/** The panel never pads by more than a page of the database. In bytes. */
const MAX_PADDING = 65_536;

let lastMeta = { text: '', quoted: '""' };
/** As a JSON string. Events in a row often have the same one, because a command has one for all of its events. */
function quotedMeta(text: string): string {
  if (lastMeta.text !== text) lastMeta = { text, quoted: JSON.stringify(text) };
  return lastMeta.quoted;
}

/** `SHA-256(hash before, header, payload hash)`; the header is a JSON array, which is unambiguous. */
export function chainHashOf(before: Buffer, event: Omit<StoredEvent, 'payload'>, payloadHash: Buffer): Buffer {
  const { position, stream, version, id, type, schema, at, meta, encoding } = event;
  const names = `${JSON.stringify(stream)},${version},"${id.replaceAll('-', '')}",${JSON.stringify(type)}`;
  const header = `[${position},${names},${schema},${at},${quotedMeta(meta)},${encoding}]`;
  // Hashing one buffer takes half the time of an incremental hash.
  const chained = Buffer.allocUnsafe(2 * HASH_BYTES + Buffer.byteLength(header));
  before.copy(chained);
  const end = HASH_BYTES + chained.write(header, HASH_BYTES);
  payloadHash.copy(chained, end);
  return sha256(chained);
}

/** The stored payload as JSON without padding. */
function contentOf(payload: Buffer, encoding: number): string {
  return (encoding === DEFLATED ? inflateRawSync(payload) : payload).toString();
}

/** A payload without the padding at its end, and the length of the padding. */
function unpadded(payload: Buffer, encoding: number): { readonly bare: Buffer; readonly padding: number } {
  const filler = encoding === PLAIN ? SPACE : 0;
  let end = payload.length;
  while (end > 0 && payload[end - 1] === filler) end -= 1;
  return { bare: payload.subarray(0, end), padding: payload.length - end };
}

/**
 * A line of an export: the JSON of an event with all that its hashes cover. `padding` is left out when it is 0. `payload`
 * contains the stored bytes in base64 where `data` does not give them, because they are compressed.
 */
export function exportLine(event: StoredEvent, { payloadHash, hash: chained }: Hashes): string {
  const { payload, encoding } = event;
  const end = `"payloadHash":"${payloadHash.toString('hex')}","hash":"${chained.toString('hex')}"}`;
  if (payload === null) return spelled(`${startOf(event, event.meta, 'null')}${end}`);
  const { bare, padding } = unpadded(payload, encoding);
  const data = JSON.stringify(JSON.parse(contentOf(payload, encoding)));
  const bytes = encoding === PLAIN && bare.toString() === data ? '' : `"payload":"${bare.toString('base64')}",`;
  return spelled(`${startOf(event, event.meta, data)}${padding === 0 ? '' : `"padding":${padding},`}${bytes}${end}`);
}

function startOf(event: Omit<StoredEvent, 'meta' | 'payload'>, meta: string, data: string): string {
  const { position, id, stream, version, type, schema, at, encoding } = event;
  const names = `"stream":${JSON.stringify(stream)},"version":${version},"type":${JSON.stringify(type)}`;
  return `{"position":${position},"id":"${id}",${names},"schema":${schema},"at":${at},"meta":${meta},"data":${data},"encoding":${encoding},`;
}

/** Control, invisible and direction characters are written as JSON escapes, because a terminal would execute them. */
function spelled(line: string): string {
  return NOT_ASCII.test(line) ? escaped(line, HIDDEN) : line;
}

/** An event of an export with the hashes that its line names. */
export interface ExportedEvent {
  readonly event: StoredEvent;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly hashes: Hashes;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const HEX = /^[0-9a-f]{64}$/;
const NUMBER = '(0|[1-9]\\d{0,14})';
const HASH = '([0-9a-f]{64})';
/** A line whose payload is stored as plain JSON or was rolled up begins and ends like this. Almost all lines are like this. */
const PLAIN_START = new RegExp(
  [
    `^{"position":${NUMBER}`,
    '"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"',
    '"stream":"([\\w-]*)"',
    `"version":${NUMBER}`,
    '"type":"(\\w*)"',
    `"schema":${NUMBER}`,
    `"at":${NUMBER}`,
    '"meta":(?={)',
  ].join(','),
);
const PLAIN_END = new RegExp(
  `^,"encoding":([01]),(?:"padding":([1-9]\\d{0,4}),)?"payloadHash":"${HASH}","hash":"${HASH}"}$`,
);
/** Between `meta` and `data`. `meta` has no member `data`, and in a text its quotes are escaped, so the first place counts. */
const BEFORE_DATA = '},"data":';

/**
 * The event of a line of an export, without its line feed. Null unless the line is exactly the one that `exportLine` writes
 * for the event: other spelling, other members and other spaces are not accepted, so no byte is without meaning.
 */
export function readExportLine(line: string): ExportedEvent | null {
  try {
    return readPlainLine(line) ?? readAnyLine(line);
  } catch (error) {
    // Objects inside of objects, more than the stack has room for when they are written again.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Reads a line by its pattern, which is faster than parsing and comparing all of it. Null for every line that may not be
 * canonical, such as one with characters beyond ASCII: `readAnyLine` decides on those.
 */
function readPlainLine(line: string): ExportedEvent | null {
  const start = PLAIN_START.exec(line);
  const after = line.lastIndexOf(',"encoding":');
  const end = start && after !== -1 ? PLAIN_END.exec(line.slice(after)) : null;
  // One search each: a pattern over the whole line would try every pair of places of a line that is made for this.
  const split = start ? line.indexOf(BEFORE_DATA, start[0].length) : -1;
  if (!start || !end || split === -1 || split > after || NOT_ASCII.test(line)) return null;
  const [opening, position, id = '', stream = '', version, type = '', schema, at] = start;
  const [, encoding, padding, payloadHash = '', chained = ''] = end;
  const meta = line.slice(opening.length, split + 1);
  const text = line.slice(split + BEFORE_DATA.length, after);
  const isPruned = text === 'null';
  if (isPruned ? padding !== undefined : encoding !== '0' || Number(padding ?? 0) > MAX_PADDING) return null;
  const data = canonical(text);
  if (!(data === null || isObject(data)) || !isObject(canonical(meta))) return null;
  const event = {
    ...{ position: Number(position), id, stream, version: Number(version), type, schema: Number(schema) },
    ...{ at: Number(at), meta, encoding: Number(encoding) },
    payload: isPruned ? null : Buffer.from(padding === undefined ? text : text + ' '.repeat(Number(padding))),
  };
  const hashes = { payloadHash: Buffer.from(payloadHash, 'hex'), hash: Buffer.from(chained, 'hex') };
  return { event, data: data as ExportedEvent['data'], hashes };
}

/** The value of canonical JSON; undefined for other texts. */
function canonical(text: string): unknown {
  const value = parsed(text);
  return JSON.stringify(value) === text ? value : undefined;
}

function readAnyLine(line: string): ExportedEvent | null {
  const value = parsed(line);
  if (!isObject(value)) return null;
  const { id, stream, type, meta, data, payloadHash, hash: chained, padding = 0, payload } = value;
  const numbers = [value['position'], value['version'], value['schema'], value['at'], value['encoding'], padding];
  if (!numbers.every((number) => Number.isSafeInteger(number) && (number as number) >= 0)) return null;
  const [position, version, schema, at, encoding, length] = numbers as [number, number, number, number, number, number];
  if (typeof id !== 'string' || !ID.test(id) || typeof stream !== 'string' || typeof type !== 'string') return null;
  if (!isObject(meta) || (data !== null && !isObject(data)) || encoding > DEFLATED) return null;
  if (length > MAX_PADDING) return null;
  if (!isHash(payloadHash) || !isHash(chained)) return null;
  const metaText = JSON.stringify(meta);
  const dataText = JSON.stringify(data);
  const event = { position, id, stream, version, type, schema, at, encoding };
  const extra = `${length === 0 ? '' : `"padding":${length},`}${payload === undefined ? '' : `"payload":${JSON.stringify(payload)},`}`;
  const canonical = `${startOf(event, metaText, dataText)}${extra}"payloadHash":"${payloadHash}","hash":"${chained}"}`;
  if (line !== spelled(canonical)) return null;
  const hashes = { payloadHash: Buffer.from(payloadHash, 'hex'), hash: Buffer.from(chained, 'hex') };
  if (data === null) {
    const isPruned = length === 0 && payload === undefined;
    return isPruned ? { event: { ...event, meta: metaText, payload: null }, data, hashes } : null;
  }
  const bytes = payloadOf(dataText, { encoding, padding: length, payload });
  return bytes && { event: { ...event, meta: metaText, payload: bytes }, data, hashes };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HEX.test(value);
}

interface Bytes {
  readonly encoding: number;
  readonly padding: number;
  readonly payload: unknown;
}

/** The stored bytes of a payload; null when they do not contain `data`. */
function payloadOf(data: string, { encoding, padding, payload }: Bytes): Buffer | null {
  if (payload === undefined && encoding !== PLAIN) return null;
  if (payload !== undefined && typeof payload !== 'string') return null;
  const bare = payload === undefined ? Buffer.from(data) : Buffer.from(payload, 'base64');
  if (payload !== undefined && bare.toString('base64') !== payload) return null;
  const bytes = padding === 0 ? bare : Buffer.concat([bare, Buffer.alloc(padding, encoding === PLAIN ? SPACE : 0)]);
  // With its padding: the last bytes of a compressed payload may be zeros too.
  return payload === undefined || content(bytes, encoding) === data ? bytes : null;
}

/** The content as compact JSON; null when the bytes are not of that encoding. */
function content(bytes: Buffer, encoding: number): string | null {
  try {
    return JSON.stringify(JSON.parse(contentOf(bytes, encoding)));
  } catch {
    return null;
  }
}
