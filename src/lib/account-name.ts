import { message, type Text } from '../messages/message.js';
import { isObject } from './json.js';

/** One life of one client, and what people call it now. */
export interface NamedClient {
  /** The client's number: it is never given twice. */
  readonly client: number;
  readonly email: string;
}

/**
 * The name of a client's account in the core: `5:alice`. The core counts and logs by this name, so it belongs to one client
 * for ever, even if another client gets the email later. The email is in it because rules of the template name people by email.
 */
export function accountName({ client, email }: NamedClient): string {
  return `${client}:${email}`;
}

/** The number in an account's name; 0 for a name that is no client's, such as that of a socks account. */
export function clientOfAccount(name: string): number {
  const colon = name.indexOf(':');
  if (colon < 1 || colon > MOST_DIGITS) return 0;
  let number = 0;
  for (let at = 0; at < colon; at += 1) {
    const digit = name.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9 || (at === 0 && digit === 0)) return 0;
    number = number * 10 + digit;
  }
  return number;
}

/** The email in an account's name; a name that is no client's as it is. */
export function emailOfAccount(name: string): string {
  return clientOfAccount(name) === 0 ? name : name.slice(name.indexOf(':') + 1);
}

/**
 * Why the core would count an account that is no client's for a client: those of socks, http and mixed inbounds, and peers
 * of wireguard, have their names from the admin. `settings`: of an inbound.
 */
export function accountProblem(settings: unknown): Text | null {
  const clash = accountNames(settings).find((name) => clientOfAccount(name) > 0);
  if (clash === undefined) return null;
  return message('inbound.accountLikeClient', { name: clash });
}

function accountNames(settings: unknown): readonly string[] {
  if (Array.isArray(settings)) return settings.flatMap(accountNames);
  if (!isObject(settings)) return [];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (/^clients$/iu.test(key)) return [];
    // As the core compares them: `uſer` is a user too.
    return typeof value === 'string' && /^(user|username|email)$/iu.test(key) ? [value] : accountNames(value);
  });
}

/** Numbers of more digits would not be exact. */
const MOST_DIGITS = 15;
const ZERO = 48;
