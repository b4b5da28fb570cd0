import { sameName, unclearIn } from '../../lib/identifiers.js';
import { message, type Text } from '../../messages/message.js';

/** Minimum length of a new password. A shorter one that was set before stays valid. */
export const SHORTEST_PASSWORD = 10;
const LONGEST = 64;
/** Maximum length of a password. All of it is hashed. */
export const LONGEST_PASSWORD = 1024;

/** Why a user name is invalid, or null. `stored`: the current name, which stays allowed. */
export function nameProblem(username: string, stored = ''): Text | null {
  if (username === '' || username.length > LONGEST) return message('settings.usernameLength', { max: LONGEST });
  if (/\p{Cc}/u.test(username) || username.trim() !== username) return message('settings.usernameSpaces');
  const hidden = sameName(username, stored) ? null : unclearIn(username);
  if (hidden !== null) return message('settings.usernameInvisible', { code: hidden });
  return null;
}

/** Why a user name or a password is invalid, or null. `stored`: as for `nameProblem`. */
export function credentialProblem(username: string, password: string, stored = ''): Text | null {
  const problem = nameProblem(username, stored);
  if (problem !== null) return problem;
  if (password.length < SHORTEST_PASSWORD) return message('settings.passwordTooShort', { min: SHORTEST_PASSWORD });
  if (password.length > LONGEST_PASSWORD) return message('settings.passwordTooLong', { max: LONGEST_PASSWORD });
  if (password.toLowerCase() === username.toLowerCase()) return message('settings.passwordIsUsername');
  return null;
}
