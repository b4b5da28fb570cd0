import { reject } from '../../commands/rejection.js';
import type { UserId } from '../../events/ids.js';
import { sameName, unclearIn } from '../../lib/identifiers.js';
import { Message } from '../context.js';
import type { authRoutes } from '../contract/auth.js';
import type { accountRoutes } from '../contract/settings.js';
import type { Handlers } from '../mount.js';
import { guess } from './guess.js';
import { hashesOf, Login } from './login.js';
import type { AuthContext } from './visit.js';

/** Characters of a new password; who has a shorter one from before may go on with it. */
export const SHORTEST_PASSWORD = 10;
const LONGEST = 64;
/** A password is hashed whole; more than this is not a password. */
const LONGEST_PASSWORD = 1024;

/** One answer for every reason, the lock-out included, so that it tells nothing. */
const wrongLogin = reject('LOGIN_WRONG');

export const authHandlers: Handlers<typeof authRoutes, AuthContext> = {
  async login({ body: { username, password, twoFactorCode } }, context) {
    if (username === '') return reject('CREDENTIALS_WEAK', { why: 'Username is required' });
    if (password === '') return reject('CREDENTIALS_WEAK', { why: 'Password is required' });
    if (password.length > LONGEST_PASSWORD) return wrongLogin;
    const login = new Login(context, username, password, twoFactorCode);
    const refused = await guess(context.visit, username, wrongLogin, () => login.check());
    return refused ?? login.refused ?? new Message('You have successfully logged into your account.');
  },

  logout(_, { visit }) {
    const rejection = visit.end();
    if (rejection) return rejection;
    visit.forget();
    return new Message('You have been logged out.');
  },

  csrfToken: (_, { visit }) => visit.csrfToken(),
  getTwoFactorEnable: (_, { read }) => read.settings().twoFactorEnable,
};

export const accountHandlers: Handlers<typeof accountRoutes, AuthContext> = {
  async updateUser({ body: { oldUsername, oldPassword, newUsername, newPassword } }, context) {
    const { visit, read, passwords } = context;
    const user = read.users().users.get(context.userId);
    const weakness = weaknessOf(newUsername, newPassword, user?.username);
    if (weakness !== null) return reject('CREDENTIALS_WEAK', { why: weakness });
    if (oldPassword.length > LONGEST_PASSWORD) return reject('CREDENTIALS_WRONG');
    const wrong = reject('CREDENTIALS_WRONG');
    const refused = await guess(visit, oldUsername, wrong, async () => {
      const hash = user && sameName(user.username, oldUsername) ? user.passwordHash : null;
      return (await passwords.verify(oldPassword, hash, hashesOf(context))) ? null : 'credentials';
    });
    if (refused) return refused;
    if (!user) return wrong;
    if (newUsername === oldUsername && newPassword.normalize('NFC') === oldPassword.normalize('NFC'))
      return reject('CREDENTIALS_WEAK', { why: 'The new password must not be the old one' });
    const passwordHash = await passwords.hash(newPassword);
    if (read.users().users.get(user.id)?.epoch !== user.epoch) return reject('CREDENTIALS_WRONG');
    const data = { user: user.id as UserId, username: newUsername, passwordHash };
    const done = context.dispatch({ type: 'ChangeCredentials', data });
    if (!('events' in done)) return done;
    const changed = new Message('The user name and the password have been changed.');
    return visit.renew({ id: user.id, username: newUsername }) ?? changed;
  },
};

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
