import { isText, type Text } from './message.js';

/** A value with a string in the place of each text. */
export type Rendered<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Text
    ? string
    : T extends readonly (infer Item)[]
      ? Rendered<Item>[]
      : { -readonly [K in keyof T]: Rendered<T[K]> };

/** Replaces all texts in plain objects and arrays with the results of `say`. A repeated text is rendered once. */
export function rendered<T>(value: T, say: (text: Text) => string): Rendered<T> {
  const known = new Map<Text, string>();
  const sayOnce = (text: Text): string => {
    const words = known.get(text) ?? say(text);
    known.set(text, words);
    return words;
  };
  return replaced(value, sayOnce) as Rendered<T>;
}

function replaced(value: unknown, say: (text: Text) => string): unknown {
  if (isText(value)) return say(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, say));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaced(member, say)]));
}
