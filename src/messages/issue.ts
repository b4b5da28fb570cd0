import { isText, type MessageCode, message, type ParamsOf, type Text, verbatim } from './message.js';

/** A message as the error string of a zod schema, which cannot carry an object. `textOfIssue` reads it. */
export function issue<C extends MessageCode>(code: C, ...params: ParamsOf<C>): string {
  return encoded(message(code, ...params));
}

export function encoded(text: Text): string {
  return JSON.stringify(text);
}

/** The text of the first issue of a rejected value. */
export function issueOf({ issues }: { readonly issues: readonly { readonly message: string }[] }): Text {
  return issues[0] ? textOfIssue(issues[0].message) : message('input.invalid');
}

/** The text in an error string of zod; zod's own words as verbatim. */
export function textOfIssue(error: string): Text {
  if (!error.startsWith('{"code":"')) return verbatim(error);
  const text: unknown = JSON.parse(error);
  return isText(text) ? text : verbatim(error);
}
