import { type Message, message, type Text } from '../messages/message.js';
import { shownText } from './words.js';

/** Levels of nesting that are accepted: the code after the parser recurses into what it gets. */
export const MAX_JSON_DEPTH = 64;
/** Members and elements of one text: about twice what the largest request body with 25,000 clients has. */
const MAX_VALUES = 2_000_000;
/** Characters of a path that a message shows. */
const MAX_PATH_CHARS = 200;

/** Why a text is refused as JSON. The text is a predicate, such as `is not valid JSON`; its subject is the caller's. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly text: Text;

  constructor(text: Message) {
    // Not rendered here: the contract, which a browser reads too, imports this module.
    super(text.code);
    this.text = text;
  }
}

/**
 * Parses JSON that comes from outside. Throws `JsonError` for text that is not JSON, is nested deeper than 64 levels, has
 * more than two million members and elements, or gives a key of an object twice: parsers differ on which of the two
 * counts. Members named `__proto__` are left out, because a copy of the object would take them for its prototype.
 *
 * The text is counted before it is parsed, so that a small body cannot become a large heap. A repeated key shows by the
 * object having fewer members than the text has colons; only then is the key looked for.
 */
export function parseJson(text: string): unknown {
  const colons = countColons(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonError(message('input.notJson')); // The parser's own message would quote the text.
  }
  if (countMembers(value) !== colons) throw new JsonError(message('input.jsonKeyTwice', { key: repeatedKey(text) }));
  return value;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Colons outside of strings: one for each member of valid JSON. Throws `JsonError` for too many levels or values. */
function countColons(text: string): number {
  let [depth, values, colons] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) colons += 1;
    else if (code === COMMA) values += 1;
    else if (code === LIST || code === OBJECT) {
      values += 1;
      depth += 1;
      if (depth > MAX_JSON_DEPTH) throw new JsonError(message('input.jsonTooDeep', { levels: MAX_JSON_DEPTH }));
    } else if (code === LIST_END || code === OBJECT_END) depth -= 1;
  }
  if (values > MAX_VALUES) throw new JsonError(message('input.jsonTooLarge'));
  return colons;
}

/** Members of all objects inside of a parsed value. On the way it takes out those named `__proto__`. */
function countMembers(root: unknown): number {
  let members = 0;
  const open = isNested(root) ? [root] : [];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNested(item)) open.push(item);
      continue;
    }
    // No list of the keys is made, which would take several times as long.
    for (const key in value) {
      members += 1;
      const member = value[key];
      if (isNested(member)) open.push(member);
      if (key === '__proto__') Reflect.deleteProperty(value, key);
    }
  }
  return members;
}

type Nested = Record<string, unknown> | unknown[];

function isNested(value: unknown): value is Nested {
  return typeof value === 'object' && value !== null;
}

/** Where the reader stands in one object or list. */
interface Level {
  /** Keys seen so far; null in a list. */
  readonly keys: Set<string> | null;
  /** Key or index of the current member. */
  place: string | number;
  /** The next string of an object is a key. */
  atKey: boolean;
}

/** The path of the first key that an object has twice, such as `clients.0.email`. `text` is valid JSON. */
function repeatedKey(text: string): string {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    const code = text.charCodeAt(at);
    if (code === OBJECT) levels.push({ keys: new Set(), place: '', atKey: true });
    else if (code === LIST) levels.push({ keys: null, place: 0, atKey: false });
    else if (code === OBJECT_END || code === LIST_END) levels.pop();
    else if (code === COMMA && level) {
      if (typeof level.place === 'number') level.place += 1;
      level.atKey = level.keys !== null;
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      if (level?.atKey) {
        level.place = JSON.parse(text.slice(at, end + 1)) as string;
        level.atKey = false;
        if (level.keys?.has(level.place)) break;
        level.keys?.add(level.place);
      }
      at = end;
    }
  }
  const path = shownText(levels.map(({ place }) => place).join('.'));
  return path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path;
}

/** Index of the quote that ends the string whose first quote is at `start`; the length of the text when none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && backslashesBefore(text, end) % 2 === 1) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at - count - 1) === BACKSLASH) count += 1;
  return count;
}
