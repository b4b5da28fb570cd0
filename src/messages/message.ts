import type { Message, MessageCode, MessageParams, Text, Verbatim } from './codes.generated.js';

export type { Message, MessageCode, MessageParams, Text, Verbatim } from './codes.generated.js';

export type ParamsOf<C extends MessageCode> = keyof MessageParams[C] extends never ? [] : [params: MessageParams[C]];

export function message<C extends MessageCode>(code: C, ...[params]: ParamsOf<C>): Message<C> {
  // Without parameters `params` is left out, and its type is that of an empty object.
  return { code, params: params ?? ({} as MessageParams[C]) };
}

export function verbatim(text: string): Verbatim {
  return { verbatim: text };
}

/** The stable code of a text; null for words of other programs, and where there is no text. */
export function codeOf(text: Text | null | undefined): MessageCode | null {
  return text && 'code' in text ? text.code : null;
}

/** Whether a value that was read from outside has the shape of a text. The code may be one of another version. */
export function isText(value: unknown): value is Text {
  if (typeof value !== 'object' || value === null) return false;
  if ('verbatim' in value) return typeof value.verbatim === 'string';
  return 'code' in value && typeof value.code === 'string' && 'params' in value && isObject(value.params);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
