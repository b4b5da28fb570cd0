import { message, type Text } from '../messages/message.js';
import { isObject } from './json.js';

/** A client and its current email. */
export interface NamedClient {
  /** The client's number; it is never used again. */
  readonly client: number;
  readonly email: string;
}

/**
 * The account name of a client in the core: `5:alice`. The core counts and logs by this name, so it belongs to one client
 * forever, even if another client gets the email later. It contains the email because routing rules name users by email.
 */
export function accountName({ client, email }: NamedClient): string {
  return `${client}:${email}`;
}

/** The number in an account name; 0 for an account that does not belong to a client, such as one of a SOCKS inbound. */
export function clientOfAccount(name: string): number {
  const colon = name.indexOf(':');
  if (colon < 1 || colon > MAX_DIGITS) return 0;
  let number = 0;
  for (let at = 0; at < colon; at += 1) {
    const digit = name.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9 || (at === 0 && digit === 0)) return 0;
    number = number * 10 + digit;
  }
  return number;
}

/** The email in an account name; any other name unchanged. */
export function emailOfAccount(name: string): string {
  return clientOfAccount(name) === 0 ? name : name.slice(name.indexOf(':') + 1);
}

/**
 * Why the core would count another account as a client's, or null: the admin chooses the names of accounts of SOCKS, HTTP
 * and mixed inbounds, and of WireGuard peers. `settings`: those of the inbound.
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
    // As the core compares names: `uſer` equals `user`.
    return typeof value === 'string' && /^(user|username|email)$/iu.test(key) ? [value] : accountNames(value);
  });
}

/** Numbers of more digits would not be exact. */
const MAX_DIGITS = 15;
const ZERO = 48;
