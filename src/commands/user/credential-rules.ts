import { sameName, unclearIn } from '../../lib/identifiers.js';

/** Characters of a new password; a shorter one that was set before stays valid. */
export const SHORTEST_PASSWORD = 10;
const LONGEST = 64;
/** A password is hashed whole; more than this is not a password. */
export const LONGEST_PASSWORD = 1024;

/** Why a user cannot have this name, or null. `stored`: the name that the user has; it may keep one that is not given any more. */
export function nameFlaw(username: string, stored = ''): string | null {
  if (username === '' || username.length > LONGEST) return `A user name has 1 to ${LONGEST} characters`;
  if (/\p{Cc}/u.test(username) || username.trim() !== username)
    return 'A user name neither begins nor ends with a space and holds no control characters';
  const hidden = sameName(username, stored) ? null : unclearIn(username);
  if (hidden !== null) return `A user name must not hold ${hidden}, which cannot be seen or turns the text around`;
  return null;
}

/** Why a user cannot have this name or this password, or null. `stored`: as for `nameFlaw`. */
export function weaknessOf(username: string, password: string, stored = ''): string | null {
  const flaw = nameFlaw(username, stored);
  if (flaw !== null) return flaw;
  if (password.length < SHORTEST_PASSWORD) return `A password has at least ${SHORTEST_PASSWORD} characters`;
  if (password.length > LONGEST_PASSWORD) return `A password has at most ${LONGEST_PASSWORD} characters`;
  if (password.toLowerCase() === username.toLowerCase()) return 'The password must not be the user name';
  return null;
}
