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

/** What the messages need of an issue of zod: `$ZodIssue` without zod, which this folder does not import. */
interface Issue {
  readonly message: string;
  readonly code?: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** The text of the first issue of a rejected value. */
export function issueOf({ issues }: { readonly issues: readonly Issue[] }): Text {
  return issues[0] ? textOfIssue(issues[0]) : message('input.invalid');
}

/**
 * The text that the schema gives for an issue, or else the message for the check that failed. The words of zod are never
 * used, because they are in English and may contain the value. Never throws.
 */
export function textOfIssue(issue: Issue): Text {
  return issue.message.startsWith(MARK) ? decoded(issue.message.slice(MARK.length)) : textOfCheck(issue);
}

function decoded(json: string): Text {
  try {
    const text: unknown = JSON.parse(json);
    if (isText(text)) return text;
  } catch (wrong) {
    // A message that only begins like ours.
    if (!(wrong instanceof SyntaxError)) throw wrong;
  }
  return verbatim(json);
}

const TYPES: Readonly<Record<string, Text>> = {
  string: message('input.notString'),
  boolean: message('input.notBoolean'),
  int: message('input.notWholeNumber'),
  number: message('input.notNumber'),
  array: message('input.notList'),
  object: message('input.notObject'),
  record: message('input.notObject'),
  nonoptional: message('input.missing'),
};

function textOfCheck(issue: Issue): Text {
  const ofNumber = issue.origin === 'number' || issue.origin === 'int';
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected ?? ''] ?? message('input.invalid');
    case 'invalid_value':
      return message('input.notOneOf', { known: (issue.values ?? []).map(String) });
    case 'too_big': {
      const limit = Number(issue.maximum);
      if (ofNumber) return message('input.atMost', { max: limit });
      return message(issue.origin === 'string' ? 'input.tooLong' : 'input.tooManyEntries', { limit });
    }
    case 'too_small':
      return ofNumber
        ? message('input.atLeast', { min: Number(issue.minimum) })
        : message('input.tooShort', { minimum: Number(issue.minimum) });
    case 'unrecognized_keys':
      return message('input.unknownMembers', { members: [...(issue.keys ?? [])] });
    default:
      return message('input.invalid');
  }
}
