import { isObject, type Json, type JsonObject } from './json';

/** Names with a value each, as a text with a line for each: `Name: value`. */
export const textOfMap = (value: Json | undefined): string =>
  isObject(value) ? Object.entries(value).map(pair).join('\n') : '';

const pair = ([name, value]: readonly [string, Json | undefined]): string =>
  `${name}: ${Array.isArray(value) ? value.join(', ') : String(value ?? '')}`;

/** The map of a text. A value that the text shows unchanged stays as it is: headers may have lists. */
export function mapOf(text: string, before: Json | undefined): JsonObject {
  const known = isObject(before) ? before : {};
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(':');
      const key = name.trim();
      const value = rest.join(':').trim();
      const kept = known[key];
      return [key, kept !== undefined && pair([key, kept]) === `${key}: ${value}` ? kept : value];
    }),
  );
}
