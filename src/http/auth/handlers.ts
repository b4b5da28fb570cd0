import { reject } from '../../commands/rejection.js';
import type { UserId } from '../../events/ids.js';
import { Message } from '../context.js';
import type { authRoutes } from '../contract/auth.js';
import type { accountRoutes } from '../contract/settings.js';
import type { Handlers } from '../mount.js';
import type { AuthContext } from './visit.js';

const SHORTEST_PASSWORD = 8;
const LONGEST = 64;
/** A password is hashed whole; more than this is not a password. */
const LONGEST_PASSWORD = 1024;

/** One answer for every reason, the lock-out included: it tells nothing to who guesses. */
const wrongLogin = reject('LOGIN_WRONG');

export const authHandlers: Handlers<typeof authRoutes, AuthContext> = {
  async login({ body: { username, password } }, context) {
    if (username === '') return reject('CREDENTIALS_WEAK', { why: 'Username is required' });
    if (password === '') return reject('CREDENTIALS_WEAK', { why: 'Password is required' });
    const user = [...context.read.users().users.values()].find((known) => known.username === username);
    if (!(await proved(context, username, password, user?.passwordHash ?? null)) || !user) return wrongLogin;
    // The hash took a while: the user must still be who was checked.
    const now = context.read.users().users.get(user.id);
    if (now?.epoch !== user.epoch) return wrongLogin;
    return context.visit.begin(user) ?? new Message('You have successfully logged into your account.');
  },

  logout(_, { visit }) {
    const rejection = visit.end();
    if (rejection) return rejection;
    visit.forget();
    return new Message('You have been logged out.');
  },

  csrfToken: (_, { visit }) => visit.csrfToken(),
  getTwoFactorEnable: () => false,
};

export const accountHandlers: Handlers<typeof accountRoutes, AuthContext> = {
  async updateUser({ body: { oldUsername, oldPassword, newUsername, newPassword } }, context) {
    const user = context.read.users().users.get(context.userId);
    const weakness = weaknessOf(newUsername, newPassword);
    if (weakness !== null) return reject('CREDENTIALS_WEAK', { why: weakness });
    const hash = user?.username === oldUsername ? user.passwordHash : null;
    if (!(await proved(context, oldUsername, oldPassword, hash)) || !user) return reject('CREDENTIALS_WRONG');
    const passwordHash = await context.passwords.hash(newPassword);
    if (context.read.users().users.get(user.id)?.epoch !== user.epoch) return reject('CREDENTIALS_WRONG');
    const data = { user: user.id as UserId, username: newUsername, passwordHash };
    const done = context.dispatch({ type: 'ChangeCredentials', data });
    if (!('events' in done)) return done;
    const changed = new Message('The user name and the password have been changed.');
    return context.visit.begin({ id: user.id, username: newUsername }) ?? changed;
  },
};

/** Whether the password is right; counted by the limiter, and kept in the log when it is not. */
async function proved(
  { visit, passwords }: AuthContext,
  username: string,
  password: string,
  hash: string | null,
): Promise<boolean> {
  if (password.length > LONGEST_PASSWORD) return false;
  const attempt = visit.limiter.begin(visit.peer.ip, username);
  if (!attempt) return false;
  let right = false;
  try {
    right = await passwords.verify(password, hash);
  } finally {
    if (right) attempt.succeeded();
    else attempt.failed();
  }
  if (!right) visit.failed(username, 'credentials');
  return right;
}

function weaknessOf(username: string, password: string): string | null {
  if (username === '' || username.length > LONGEST) return `A user name has 1 to ${LONGEST} characters`;
  if (/\p{Cc}/u.test(username) || username.trim() !== username)
    return 'A user name neither begins nor ends with a space and holds no control characters';
  if (password.length < SHORTEST_PASSWORD) return `A password has at least ${SHORTEST_PASSWORD} characters`;
  if (password.length > LONGEST_PASSWORD) return `A password has at most ${LONGEST_PASSWORD} characters`;
  if (password.toLowerCase() === username.toLowerCase()) return 'The password must not be the user name';
  return null;
}
