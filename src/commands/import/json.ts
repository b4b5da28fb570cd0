import { isObject, type Json } from '../../lib/json.js';
import { message, type Text } from '../../messages/message.js';

export type JsonRecord = Record<string, Json>;

/** Limit of nested levels, because later steps read values recursively. */
const MAX_DEPTH = 64;
interface Room {
  values: number;
  /** Characters of all texts and names of members. */
  characters: number;
}

/** The limits of one JSON text without its clients, whose number is not limited. */
const ofText = (): Room => ({ values: 100_000, characters: 1024 * 1024 });
const ofClient = (): Room => ({ values: 1000, characters: 64 * 1024 });
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'] as const;

/** Why a text cannot be imported, without content of the text. */
export class Unreadable {
  readonly why: Text;

  constructor(why: Text) {
    this.why = why;
  }
}

/** Parses a JSON object. An empty text is an empty object. */
export function readJson(text: string): JsonRecord | Unreadable {
  const parsed = parse(text);
  if (parsed instanceof Unreadable) return parsed;
  if (parsed === null) return {};
  if (!isObject(parsed)) return new Unreadable(message('import.jsonNotObject'));
  const { clients, ...others } = parsed;
  const problem = problemOf(others, ofText(), 0);
  if (problem !== null) return new Unreadable(problem);
  const whole = clean(others) as JsonRecord;
  // Each client has its own limits, so that an oversized one does not affect the others.
  return Array.isArray(clients) ? { ...whole, clients: clients as Json[] } : whole;
}

/** A client from the settings, or why it cannot be read. */
export function readClient(value: unknown): JsonRecord | Unreadable {
  if (!isObject(value)) return new Unreadable(message('import.jsonNotObject'));
  const problem = problemOf(value, ofClient(), 1);
  return problem === null ? (clean(value) as JsonRecord) : new Unreadable(problem);
}

/** Parses any JSON value. */
export function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    // Of duplicate keys the last one counts, as in 3x-ui.
    return JSON.parse(text) as unknown;
  } catch {
    return new Unreadable(message('import.jsonInvalid')); // the parser's own words would quote it
  }
}

/** Why a value is too large or nested too deeply; null if it is not. */
export function boundsProblem(value: unknown): Text | null {
  return problemOf(value, ofText(), 0);
}

function problemOf(value: unknown, room: Room, depth: number): Text | null {
  if (typeof value === 'string') room.characters -= value.length;
  if (room.characters < 0) return message('import.jsonTooLong');
  if (typeof value === 'number') return Number.isFinite(value) ? null : message('import.jsonNumber');
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return message('import.jsonTooDeep', { levels: MAX_DEPTH });
  const members = Object.entries(value);
  room.values -= members.length;
  if (room.values < 0) return message('import.jsonTooMany');
  for (const [name, member] of members) {
    if (!Array.isArray(value)) room.characters -= name.length;
    const problem = problemOf(member, room, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

/** Removes members such as `__proto__`, and replaces lone surrogates. */
function clean(value: unknown): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isObject(value)) return value as Json;
  const members = Object.entries(value).filter(([name]) => !FORBIDDEN.some((own) => own === name));
  return Object.fromEntries(members.map(([name, member]) => [wellFormed(name), clean(member)]));
}

/** Replaces lone surrogates, which an event cannot hold. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** A number, also from a string of digits; otherwise null. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : null;
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : null;
}
