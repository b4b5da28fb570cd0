import type { Json } from '../../../lib/json.js';

/** Prefix of a regular expression; any other user in a rule is a name. */
const pattern = 'regexp:';
/** The part before the email in a client's account name. */
const prefix = '\\d+:';
/** Matches nothing. */
const never = '[^\\x00-\\x{10FFFF}]';

/**
 * The users of a template's rule, converted to match account names (`5:alice`): an email matches any client that has it,
 * case-sensitively, as in the core. Plain names are kept too, for accounts of SOCKS, HTTP and mixed inbounds.
 */
export function ruleUsers(users: Json): Json {
  // The core also accepts a comma-separated text.
  const list = typeof users === 'string' ? users.split(',') : users;
  if (!Array.isArray(list)) return users;
  return (list as readonly Json[]).flatMap((user): Json[] => {
    if (typeof user !== 'string' || user === '') return [user];
    if (user.length > pattern.length && user.startsWith(pattern)) return patterns(user.slice(pattern.length));
    return [user, `${pattern}^${prefix}${user.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')}$`];
  });
}

/**
 * The same for a regular expression, which must match only the email: its `^` matches the start of the email. The original
 * is kept too if it cannot match the part before an email.
 */
function patterns(source: string): string[] {
  const atBegin = anchored(source, '(?:)');
  const further = anchored(source, never);
  const clients = `${pattern}^${prefix}(?:(?:${atBegin})|(?s:.*)(?:${further}))`;
  const letterFirst = /^\^?[A-Za-z_](?![?*{])/.test(source) && !source.includes('|');
  return letterFirst || /^\^?\.[*+]\$?$/.test(source) ? [clients, `${pattern}${source}`] : [clients];
}

/** A Go regular expression with `^` replaced. Groups lose their names, because the expression is used twice. */
function anchored(source: string, instead: string): string {
  const tokens =
    /\\Q[\s\S]*?(?:\\E|$)|\\A|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<\w+>|\^|[^\\[(^]+|[\s\S]/g;
  return source.replace(tokens, (token) => {
    if (token === '^' || token === '\\A') return instead;
    return /^\(\?P?</.test(token) ? '(' : token;
  });
}
