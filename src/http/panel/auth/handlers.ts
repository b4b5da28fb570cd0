import { Rejection, reject } from '../../../commands/rejection.js';
import { credentialProblem, MAX_PASSWORD_CHARS } from '../../../commands/user/credential-rules.js';
import type { UserId } from '../../../events/ids.js';
import { sameName } from '../../../lib/identifiers.js';
import { message } from '../../../messages/message.js';
import { messageOf } from '../answers.js';
import { publicSessionId, shownSession } from '../codec/session.js';
import type { Needs } from '../context.js';
import type { adminSessionRoutes } from '../contract/access.js';
import type { authRoutes } from '../contract/auth.js';
import type { accountRoutes } from '../contract/settings/settings.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';
import type { AuthRequest } from './auth-context.js';
import { limitedAttempt } from './limited-attempt.js';
import { hashesOf, Login, type LoginServices } from './login.js';

/** The same answer for every reason, lockout included, so that it reveals nothing. */
const wrongLogin = reject('LOGIN_WRONG');

export const authHandlers: Handlers<typeof authRoutes, LoginServices, AuthRequest> = {
  async login({ body: { username, password, twoFactorCode } }, services, request) {
    if (username === '') return reject('CREDENTIALS_WEAK', { why: message('settings.usernameMissing') });
    if (password === '') return reject('CREDENTIALS_WEAK', { why: message('settings.passwordMissing') });
    if (password.length > MAX_PASSWORD_CHARS) return wrongLogin;
    const login = new Login(services, request.auth, username, password, twoFactorCode);
    const refused = await limitedAttempt(request.auth, username, wrongLogin, () => login.check());
    return refused ?? login.refused ?? new Message(message('settings.loggedIn'));
  },

  logout(_, __, { auth }) {
    const rejection = auth.browser.end();
    if (rejection) return rejection;
    auth.browser.clearCookie();
    return new Message(message('settings.loggedOut'));
  },

  csrfToken: (_, __, { auth }) => auth.browser.csrfToken(),
  getTwoFactorEnable: (_, { read }) =>
    read.settings.current().twoFactorEnable ||
    [...read.admins.users().factors.values()].some(({ token }) => token !== ''),
};

export const accountHandlers: Handlers<typeof accountRoutes, Needs<'passwords' | 'read'>, AuthRequest> = {
  async updateUser({ body: { oldUsername, oldPassword, newUsername, newPassword } }, services, request) {
    const { read, passwords } = services;
    const { auth } = request;
    const user = read.admins.users().users.get(request.userId);
    const weakness = credentialProblem(newUsername, newPassword, user?.username);
    if (weakness !== null) return reject('CREDENTIALS_WEAK', { why: weakness });
    if (oldPassword.length > MAX_PASSWORD_CHARS) return reject('CREDENTIALS_WRONG');
    const wrong = reject('CREDENTIALS_WRONG');
    const refused = await limitedAttempt(auth, oldUsername, wrong, async () => {
      const hash = user && sameName(user.username, oldUsername) ? user.passwordHash : null;
      return (await passwords.verify(oldPassword, hash, hashesOf(services))) ? null : 'credentials';
    });
    if (refused) return refused;
    if (!user) return wrong;
    if (newUsername === oldUsername && newPassword.normalize('NFC') === oldPassword.normalize('NFC'))
      return reject('CREDENTIALS_WEAK', { why: message('settings.passwordSame') });
    const passwordHash = await passwords.hash(newPassword);
    if (read.admins.users().users.get(user.id)?.epoch !== user.epoch) return reject('CREDENTIALS_WRONG');
    const data = { user: user.id as UserId, username: newUsername, passwordHash };
    const done = request.dispatch({ type: 'ChangeCredentials', data });
    if (!('events' in done)) return done;
    const changed = new Message(message('settings.credentialsSaved'));
    return auth.browser.renew({ id: user.id, username: newUsername }) ?? changed;
  },

  account: (_, { read }, { userId }) => ({
    username: read.admins.users().users.get(userId)?.username ?? '',
    twoFactorEnable: read.settings.current().twoFactorEnable,
  }),

  sessions: (_, __, { auth, userId }) =>
    auth.browser.allOf(userId).map((session) => shownSession(session, auth.session?.idHash)),

  endSession({ body: { id } }, _, { auth, userId }) {
    const ended = auth.browser.allOf(userId).find(({ idHash }) => publicSessionId(idHash) === id);
    if (!ended) return reject('SESSION_NOT_FOUND');
    const rejection = auth.browser.end(ended);
    if (rejection) return rejection;
    if (ended.idHash === auth.session?.idHash) auth.browser.clearCookie();
    return new Message(message('settings.sessionEnded'));
  },

  endOtherSessions(_, { read }, { auth, userId, dispatch }) {
    const user = read.admins.users().users.get(userId);
    if (!user) return reject('CREDENTIALS_WRONG');
    const done = dispatch({ type: 'EndSessions', data: { user: user.id as UserId } });
    if (!('events' in done)) return done;
    return auth.browser.renew(user) ?? new Message(message('settings.otherSessionsEnded'));
  },
};

export const adminSessionHandlers: Handlers<typeof adminSessionRoutes, Needs<'read'>, AuthRequest> = {
  sessions({ params: { id } }, { read }, { auth }) {
    if (!read.admins.users().users.has(id)) return reject('ADMIN_NOT_FOUND', { admin: id });
    return auth.browser.allOf(id).map((session) => shownSession(session, auth.session?.idHash));
  },

  endSessions({ params: { id }, body: { session } }, { read }, { auth, dispatch }) {
    const account = read.admins.users().users.get(id);
    if (!account) return reject('ADMIN_NOT_FOUND', { admin: id });
    const user = account.id as UserId;
    if (session === undefined) {
      const done = dispatch({ type: 'EndSessions', data: { user } });
      if (done instanceof Rejection) return done;
      // An admin who ends all own sessions keeps the one of this request.
      const refused = auth.session?.user === id ? auth.browser.renew(account) : null;
      return refused ?? new Message(message('access.sessionsEnded'));
    }
    const ended = auth.browser.allOf(id).find(({ idHash }) => publicSessionId(idHash) === session);
    if (!ended) return reject('SESSION_NOT_FOUND');
    const data = { user, session: { idHash: ended.idHash } };
    return messageOf(dispatch({ type: 'RecordLogout', data }), message('settings.sessionEnded'));
  },
};
