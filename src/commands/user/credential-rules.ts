import { sameName, unclearIn } from '../../lib/identifiers.js';
import { message, type Text } from '../../messages/message.js';

/** Minimum length of a new password. A shorter one that was set before stays valid. */
export const MIN_PASSWORD_CHARS = 10;
const MAX_USERNAME_CHARS = 64;
/** Maximum length of a password. All of it is hashed. */
export const MAX_PASSWORD_CHARS = 1024;

/** Why a user name is invalid, or null. `stored`: the current name, which stays allowed. */
export function nameProblem(username: string, stored = ''): Text | null {
  if (username === '' || username.length > MAX_USERNAME_CHARS)
    return message('settings.usernameLength', { max: MAX_USERNAME_CHARS });
  if (/\p{Cc}/u.test(username) || username.trim() !== username) return message('settings.usernameSpaces');
  const hidden = sameName(username, stored) ? null : unclearIn(username);
  if (hidden !== null) return message('settings.usernameInvisible', { code: hidden });
  return null;
}

/** Why a user name or a password is invalid, or null. `stored`: as for `nameProblem`. */
export function credentialProblem(username: string, password: string, stored = ''): Text | null {
  const problem = nameProblem(username, stored);
  if (problem !== null) return problem;
  if (password.length < MIN_PASSWORD_CHARS) return message('settings.passwordTooShort', { min: MIN_PASSWORD_CHARS });
  if (password.length > MAX_PASSWORD_CHARS) return message('settings.passwordTooLong', { max: MAX_PASSWORD_CHARS });
  if (password.toLowerCase() === username.toLowerCase()) return message('settings.passwordIsUsername');
  return null;
}
