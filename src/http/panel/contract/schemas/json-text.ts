import type { z } from 'zod';
import { JsonError, parseJson } from '../../../../lib/parse-json.js';
import { message, type Text } from '../../../../messages/message.js';
import { HALF, isRecord, loose, NOT_UNICODE, needed, Wrong } from './fields.js';

export type JsonMember = z.core.util.JSONType;
export type JsonRecord = Record<string, JsonMember>;

/** Maximum nesting of a JSON text, because later code reads it recursively. */
const MAX_DEPTH = 64;
const NAMES = ['__proto__', 'constructor', 'prototype'] as const;
/**
 * Maximum number of values in a JSON text, not counting its clients, and in each of its clients, whose number is not
 * limited.
 */
const MAX_VALUES = 100_000;
const MAX_VALUES_PER_CLIENT = 1000;

interface Room {
  values: number;
}

/** Why parsed JSON is rejected, or null. Removes members like `__proto__` on the way. */
function problemOf(value: unknown, room: Room | null = { values: MAX_VALUES }, depth = 0): Text | null {
  if (typeof value === 'string') return HALF.test(value) ? NOT_UNICODE : null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : message('input.jsonNumberOutOfRange');
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return message('input.jsonTooDeep', { levels: MAX_DEPTH });
  if (Array.isArray(value)) return membersProblem(value, room, depth);
  if (Object.keys(value).some((name) => HALF.test(name))) return NOT_UNICODE;
  for (const name of NAMES) if (Object.hasOwn(value, name)) Reflect.deleteProperty(value, name);
  if (depth > 0 || !('clients' in value)) return membersProblem(Object.values(value), room, depth);
  const { clients, ...others } = value;
  return problemOf(clients, null, 1) ?? membersProblem(Object.values(others), room, depth);
}

/** `room` is the number of values left for all; null = each has its own limit. */
function membersProblem(members: readonly unknown[], room: Room | null, depth: number): Text | null {
  if (room) room.values -= members.length;
  if (room && room.values < 0) return message('input.jsonTooLarge');
  for (const member of members) {
    const problem = problemOf(member, room ?? { values: MAX_VALUES_PER_CLIENT }, depth + 1);
    if (problem) return problem;
  }
  return null;
}

/** An object from a JSON string, or one that is already parsed. A missing value is an empty object. */
export function readObject(value: unknown): JsonRecord | Wrong {
  const parsed = typeof value === 'string' ? parse(value) : value;
  if (parsed instanceof Wrong) return parsed;
  if (parsed === null) return {};
  if (!isRecord(parsed)) return new Wrong(message('input.notJsonObject'));
  const problem = problemOf(parsed);
  return problem ? new Wrong(problem) : (parsed as JsonRecord);
}

/** A list of objects from a JSON string; empty for a missing value. */
export function readObjects(text: string): readonly JsonRecord[] | Wrong {
  const parsed = parse(text);
  if (parsed instanceof Wrong) return parsed;
  if (parsed === null) return [];
  if (!Array.isArray(parsed) || !parsed.every(isRecord)) return new Wrong(message('input.notJsonObjects'));
  const problem = problemOf(parsed);
  return problem ? new Wrong(problem) : (parsed as JsonRecord[]);
}

function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return new Wrong(error.text);
    throw error;
  }
}

/** What a JSON text contains: the name of a schema in the API reference. The panel does not check the text against it. */
export const contentOf = (name: string) => ({
  contentMediaType: 'application/json',
  contentSchema: { $ref: `#/components/schemas/${name}` },
});

export const optionalObject = loose('string', (value) => (value === undefined ? undefined : readObject(value)));
export const requiredObject = needed('string', (value) =>
  value === '' || value === null ? new Wrong(message('input.missing')) : readObject(value),
);
