import { isObject, type Json } from '../../lib/json.js';

export type JsonRecord = Record<string, Json>;

/** Levels of nesting; what comes after reads it recursively. */
const DEEPEST = 64;
interface Room {
  values: number;
  /** Characters of all texts and names of members. */
  characters: number;
}

/** In one text of JSON, beside the clients in it: of those there may be any number. */
const ofText = (): Room => ({ values: 100_000, characters: 1024 * 1024 });
const ofClient = (): Room => ({ values: 1000, characters: 64 * 1024 });
const MACHINERY = ['__proto__', 'constructor', 'prototype'] as const;

/** Why a text cannot be taken over; a sentence that quotes nothing of it. */
export class Unreadable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** An object from its text of JSON; nothing at all is an empty one. */
export function readJson(text: string): JsonRecord | Unreadable {
  const parsed = parse(text);
  if (parsed instanceof Unreadable) return parsed;
  if (parsed === null) return {};
  if (!isObject(parsed)) return new Unreadable('is not a JSON object');
  const { clients, ...others } = parsed;
  const problem = problemOf(others, ofText(), 0);
  if (problem !== null) return new Unreadable(problem);
  const whole = clean(others) as JsonRecord;
  // Each client has room of its own: one that is absurd does not take the others along.
  return Array.isArray(clients) ? { ...whole, clients: clients as Json[] } : whole;
}

/** A client as it stands in the settings, or why it cannot be read. */
export function readClient(value: unknown): JsonRecord | Unreadable {
  if (!isObject(value)) return new Unreadable('is not a JSON object');
  const problem = problemOf(value, ofClient(), 1);
  return problem === null ? (clean(value) as JsonRecord) : new Unreadable(problem);
}

/** Any JSON value from its text. */
export function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    // Of a key that is there twice the last one counts, as it did in the panel that the text comes from.
    return JSON.parse(text) as unknown;
  } catch {
    return new Unreadable('is not valid JSON'); // the parser's own words would quote it
  }
}

/** Why a value cannot be read through recursively; null when it can. */
export function boundsProblem(value: unknown): string | null {
  return problemOf(value, ofText(), 0);
}

function problemOf(value: unknown, room: Room, depth: number): string | null {
  if (typeof value === 'string') room.characters -= value.length;
  if (room.characters < 0) return 'holds too much text';
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number that is out of range';
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DEEPEST) return `is nested deeper than ${DEEPEST} levels`;
  const members = Object.entries(value);
  room.values -= members.length;
  if (room.values < 0) return 'holds too many values';
  for (const [name, member] of members) {
    if (!Array.isArray(value)) room.characters -= name.length;
    const problem = problemOf(member, room, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

/** Without members that have the names of an object's own machinery, and with whole characters only. */
function clean(value: unknown): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(clean);
  if (!isObject(value)) return value as Json;
  const members = Object.entries(value).filter(([name]) => !MACHINERY.some((own) => own === name));
  return Object.fromEntries(members.map(([name, member]) => [wellFormed(name), clean(member)]));
}

/** With a sign in place of each half of a character, which no event can hold. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The number, also from a text of digits; null for what is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : null;
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : null;
}
