import { z } from 'zod';
import { encoded, issue } from '../../../../messages/issue.js';
import { message, type Text } from '../../../../messages/message.js';
import { type Cursor, readCursor } from '../feed-cursor.js';

/** Describes an invalid value. Whether the value is shown is decided where the problems are listed. */
export class Wrong {
  readonly why: Text;

  constructor(why: Text) {
    this.why = why;
  }
}

/** A lone surrogate, which the core would decode to another text than the panel. */
export const HALF = /\p{Surrogate}/u;
export const NOT_UNICODE = message('input.notUnicode');

type Read<T> = (value: unknown) => T | Wrong;

/**
 * A member that comes from JSON (`443`) or from a form (`"443"`). The reader handles every value, including `undefined` for
 * a missing member.
 */
export function loose<T>(type: Kind, read: Read<T>) {
  return z.unknown().optional().transform(reading(read)).meta({ type });
}

/** The same for a required member, as the documents then show. */
export function needed<T>(type: Kind, read: Read<T>) {
  return z
    .unknown()
    .transform(reading(missing(read)))
    .meta({ type });
}

type Kind = 'string' | 'integer' | 'boolean' | 'object' | 'array';

const reading =
  <T>(read: Read<T>) =>
  (value: unknown, context: z.RefinementCtx<unknown>): T => {
    const result = read(value);
    if (!(result instanceof Wrong)) return result;
    context.addIssue({ code: 'custom', message: encoded(result.why) });
    return z.NEVER;
  };

const given =
  <T>(read: Read<T>): Read<T | undefined> =>
  (value) =>
    value === undefined ? undefined : read(value);
const missing =
  <T>(read: Read<T>): Read<T> =>
  (value) =>
    value === undefined ? new Wrong(message('input.missing')) : read(value);

function readText(value: unknown): string | Wrong {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? String(value) : new Wrong(message('input.notString'));
}

const NOT_WHOLE = message('input.notWholeNumber');

interface Range {
  readonly min?: number;
  readonly max?: number;
  /**
   * What else is accepted as a number. `form`: its text, and an empty text as 0, as forms send it; `loose`: also `null` as
   * 0, as clients of 3x-ui send it for a missing value; `json`: nothing.
   */
  readonly from?: 'form' | 'loose' | 'json';
}

/** A safe integer. */
const readWhole =
  ({ min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, from = 'form' }: Range): Read<number> =>
  (value) => {
    const given = value === undefined || (value === null && from === 'loose') ? 0 : value;
    const number = typeof given === 'string' && from !== 'json' ? parsed(given.trim()) : given;
    if (typeof number !== 'number' || !Number.isInteger(number)) return new Wrong(NOT_WHOLE);
    if (number < min && min === 0) return new Wrong(message('input.negative'));
    if (number < min || number > max) return new Wrong(message('input.notBetween', { min, max }));
    return number + 0; // -0 is 0
  };

function parsed(text: string): number | null {
  if (text === '') return 0;
  return /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : null;
}

const YES: readonly unknown[] = [true, 1, '1', 't', 'T', 'true', 'TRUE', 'True', 'on'];
const NO: readonly unknown[] = [false, 0, '0', 'f', 'F', 'false', 'FALSE', 'False', 'off', ''];

function readFlag(value: unknown): boolean | Wrong {
  if (YES.includes(value)) return true;
  return NO.includes(value) ? false : new Wrong(message('input.notBoolean'));
}

/** A string; absent = empty. */
export const text = loose('string', readText);
export const optionalText = loose('string', given(readText));
/** A string only, not a number or a list. */
export const plainText = loose('string', (value) => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : new Wrong(message('input.notString'));
});

/** The same, required. */
export const requiredText = needed('string', (value) =>
  typeof value === 'string' ? value : new Wrong(message('input.notString')),
);

/** An integer; absent = 0. */
export const whole = (range: Range = {}) => loose('integer', readWhole(range));
export const optionalWhole = (range: Range = {}) => loose('integer', given(readWhole(range)));
export const requiredWhole = (range: Range = {}) => needed('integer', readWhole(range));

/** The position of a follower of the events: a cursor, or a position alone. Absent = the beginning. */
export const place = loose<Cursor>('string', (value) => {
  const cursor = typeof value === 'string' ? readCursor(value) : null;
  if (cursor) return cursor;
  const position = readWhole({ min: 0 })(value ?? 0);
  if (typeof position === 'number') return { position, generation: '', hash: '' };
  return position.why === NOT_WHOLE ? new Wrong(message('input.notCursor')) : position;
});

/** Treats `null` as absent. */
export const optionalFlag = loose('boolean', (value) =>
  value === undefined || value === null ? undefined : readFlag(value),
);
export const requiredFlag = needed('boolean', readFlag);

/** Strings from a JSON list, a repeated form field, or one form field with a JSON list. Absent = none. */
export const texts = loose('array', (value = []): readonly string[] | Wrong => {
  const list = typeof value === 'string' ? listIn(value) : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    return new Wrong(message('input.notStrings'));
  if (list.some((item: string) => HALF.test(item))) return new Wrong(NOT_UNICODE);
  return list as string[];
});

function listIn(text: string): unknown {
  if (!text.trim().startsWith('[')) return text === '' ? [] : [text];
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A body by its members. Unknown members are ignored, and a missing body is an empty one. */
export function body<S extends z.ZodRawShape>(shape: S) {
  return z.preprocess((value) => value ?? {}, z.object(shape, issue('input.notObject')));
}

/** The id of an inbound in a path. */
export const Id = z
  .string()
  .regex(/^(0|[1-9]\d*)$/, issue('input.notWholeNumber'))
  .transform(Number)
  .refine(Number.isSafeInteger, issue('input.atMost', { max: Number.MAX_SAFE_INTEGER }));
/** The same, or -1 for every inbound. */
export const IdOrAll = z
  .string()
  .regex(/^(-1|0|[1-9]\d*)$/, issue('input.notWholeNumberOrAll'))
  .transform(Number)
  .refine(Number.isSafeInteger, issue('input.atMost', { max: Number.MAX_SAFE_INTEGER }));

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
