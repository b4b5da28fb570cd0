import { codeOf, isText, type MessageCode, type Text } from './message.js';

/** A value with a string in the place of each text. */
export type Rendered<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Text
    ? string
    : T extends readonly (infer Item)[]
      ? Rendered<Item>[]
      : { -readonly [K in keyof T]: Rendered<T[K]> };

/** The same, with the code of each text in a member beside it: `what` and `whatCode`. */
export type Coded<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Text
    ? string
    : T extends readonly (infer Item)[]
      ? Coded<Item>[]
      : { -readonly [K in keyof T]: Coded<T[K]> } & { [K in keyof T as CodeName<K, T[K]>]: MessageCode | null };
type CodeName<K, V> = K extends string ? (V extends Text ? `${K}Code` : never) : never;

type Say = (text: Text) => string;

/** Replaces all texts in plain objects and arrays with the results of `say`. A repeated text is rendered once. */
export function rendered<T>(value: T, say: Say): Rendered<T> {
  return replaced(value, once(say), () => ({})) as Rendered<T>;
}

/** The same, and puts the code of each text beside it; null for words of other programs. Lists of texts get no codes. */
export function coded<T>(value: T, say: Say): Coded<T> {
  return replaced(value, once(say), (key, text) => ({ [`${key}Code`]: codeOf(text) })) as Coded<T>;
}

function once(say: Say): Say {
  const known = new Map<Text, string>();
  return (text) => {
    const words = known.get(text) ?? say(text);
    known.set(text, words);
    return words;
  };
}

function replaced(value: unknown, say: Say, beside: (key: string, text: Text) => object): unknown {
  if (isText(value)) return say(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, say, beside));
  if (typeof value !== 'object' || value === null) return value;
  const members: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    members[key] = replaced(member, say, beside);
    if (isText(member)) Object.assign(members, beside(key, member));
  }
  return members;
}
