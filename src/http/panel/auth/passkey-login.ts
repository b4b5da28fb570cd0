import { Rejection, reject } from '../../../commands/rejection.js';
import { message } from '../../../messages/message.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { Needs } from '../context.js';
import type { passkeyRoutes } from '../contract/factors.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';
import type { AuthRequest } from './auth-context.js';
import { limitedAttempt } from './limited-attempt.js';
import { siteOf } from './site.js';

const PURPOSE = 'login';

/** The same answer for every reason. */
const wrongLogin = reject('LOGIN_WRONG');

export const passkeyHandlers: Handlers<typeof passkeyRoutes, Needs<'read' | 'passkeys'>, AuthRequest> = {
  isUsed: (_, { read }) => [...read.admins.users().factors.values()].some(({ passkeys }) => passkeys.length > 0),

  async loginOptions(_, { passkeys }, { auth }) {
    const site = siteOf(auth.peer);
    return site instanceof Rejection
      ? site
      : { ...(await passkeys.request(site, auth.attempts.challenges.issue(PURPOSE))) };
  },

  async login({ body: { response } }, { read, passkeys }, { auth }) {
    const site = siteOf(auth.peer);
    if (site instanceof Rejection) return site;
    const found = holderOf(read, response.id);
    let refused: Rejection | null = null;
    const wrong = await limitedAttempt(auth, found?.user.username ?? '', wrongLogin, async () => {
      const challenge = passkeys.challengeOf(response);
      if (!auth.attempts.challenges.use(challenge, PURPOSE) || !found) return 'credentials';
      const signCount = await passkeys.proven(site, challenge, response, found.passkey);
      if (signCount === null) return 'credentials';
      refused = auth.browser.start(found.user, { passkey: { passkey: found.passkey.id, signCount } });
      return refused?.code === 'LOGIN_WRONG' ? 'credentials' : null;
    });
    return wrong ?? refused ?? new Message(message('settings.loggedIn'));
  },
};

/** The admin who has a passkey with this credential. */
function holderOf(read: ReadModels, credentialId: string) {
  const { users, factors } = read.admins.users();
  for (const [id, { passkeys }] of factors) {
    const passkey = passkeys.find((known) => known.credentialId === credentialId);
    const user = users.get(id);
    if (passkey && user) return { user, passkey };
  }
  return null;
}
