import type { Json } from '../../../lib/json.js';

/** A user in a rule is a name, unless it begins like this. */
const pattern = 'regexp:';
/** What stands before the email in the name of a client's account. */
const prefix = '\\d+:';
/** Matches nothing. */
const never = '[^\\x00-\\x{10FFFF}]';

/**
 * The users of a template's rule as they match the names in the core (`5:alice`): an email is that of whatever client has
 * it, in the case in which it is written, as in the core. Names are kept beside, for accounts of socks, http and mixed inbounds.
 */
export function ruleUsers(users: Json): Json {
  // The core takes a list too that is one text.
  const list = typeof users === 'string' ? users.split(',') : users;
  if (!Array.isArray(list)) return users;
  return (list as readonly Json[]).flatMap((user): Json[] => {
    if (typeof user !== 'string' || user === '') return [user];
    if (user.length > pattern.length && user.startsWith(pattern)) return patterns(user.slice(pattern.length));
    return [user, `${pattern}^${prefix}${user.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')}$`];
  });
}

/**
 * The same for a regular expression, which is to see the email only: where it asks for the beginning, the email begins. It
 * is kept beside where it cannot match what stands before an email.
 */
function patterns(source: string): string[] {
  const atBegin = anchored(source, '(?:)');
  const further = anchored(source, never);
  const clients = `${pattern}^${prefix}(?:(?:${atBegin})|(?s:.*)(?:${further}))`;
  const letterFirst = /^\^?[A-Za-z_](?![?*{])/.test(source) && !source.includes('|');
  return letterFirst || /^\^?\.[*+]\$?$/.test(source) ? [clients, `${pattern}${source}`] : [clients];
}

/** A regular expression of Go with something else for its beginning of the text. Groups lose their names: it is used twice. */
function anchored(source: string, instead: string): string {
  const tokens =
    /\\Q[\s\S]*?(?:\\E|$)|\\A|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<\w+>|\^|[^\\[(^]+|[\s\S]/g;
  return source.replace(tokens, (token) => {
    if (token === '^' || token === '\\A') return instead;
    return /^\(\?P?</.test(token) ? '(' : token;
  });
}
