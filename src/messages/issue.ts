import { isText, type MessageCode, message, type ParamsOf, type Text } from './message.js';

/** A message as the error string of a zod schema, which cannot carry an object. `textOfIssue` reads it. */
export function issue<C extends MessageCode>(code: C, ...params: ParamsOf<C>): string {
  return encoded(message(code, ...params));
}

export function encoded(text: Text): string {
  return JSON.stringify(text);
}

/** The text in an error string of zod; zod's own words stay a string. */
export function textOfIssue(said: string): Text | string {
  if (!said.startsWith('{"code":"')) return said;
  const text: unknown = JSON.parse(said);
  return isText(text) ? text : said;
}
