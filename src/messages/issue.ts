import { isText, type MessageCode, message, type ParamsOf, type Text, verbatim } from './message.js';

/** A message as the error string of a zod schema, which cannot carry an object. `textOfIssue` reads it. */
export function issue<C extends MessageCode>(code: C, ...params: ParamsOf<C>): string {
  return encoded(message(code, ...params));
}

/** Begins an error string that carries a text. No message of zod, and no value in one, begins with it. */
const MARK = '\u0000text ';

export function encoded(text: Text): string {
  return MARK + JSON.stringify(text);
}

/** The text of the first issue of a rejected value. */
export function issueOf({ issues }: { readonly issues: readonly { readonly message: string }[] }): Text {
  return issues[0] ? textOfIssue(issues[0].message) : message('input.invalid');
}

/** The text in an error string of zod; zod's own words as verbatim. Never throws. */
export function textOfIssue(error: string): Text {
  if (!error.startsWith(MARK)) return verbatim(error);
  const json = error.slice(MARK.length);
  try {
    const text: unknown = JSON.parse(json);
    if (isText(text)) return text;
  } catch (wrong) {
    // A message that only begins like ours.
    if (!(wrong instanceof SyntaxError)) throw wrong;
  }
  return verbatim(json);
}
