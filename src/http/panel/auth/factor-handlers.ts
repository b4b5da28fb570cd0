import type { Done } from '../../../commands/bus.js';
import { Rejection, reject } from '../../../commands/rejection.js';
import type { Evidence } from '../../../commands/user/second-factors.js';
import type { UserId } from '../../../events/ids.js';
import { noFactors } from '../../../events/second-factor-document.js';
import { secretsTable } from '../../../events/settings/settings.js';
import { newRecoveryCodes, recoveryHash } from '../../../lib/secrets/recovery-codes.js';
import { message, type Text } from '../../../messages/message.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { messageOf } from '../answers.js';
import type { Needs } from '../context.js';
import type { factorRoutes } from '../contract/factors.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';
import type { AuthRequest } from './auth-context.js';
import { limitedAttempt } from './limited-attempt.js';
import { hashesOf } from './login.js';
import { siteOf } from './site.js';

type Services = Needs<'read' | 'now' | 'passwords' | 'twoFactor' | 'passkeys'>;

export const factorHandlers: Handlers<typeof factorRoutes, Services, AuthRequest> = {
  factors(_, { read }, { userId }) {
    const { token, recoveryCodes, passkeys } = factorsOf(read, userId);
    const shown = passkeys.map(({ id, name, host, createdAt, usedAt }) => ({ id, name, host, createdAt, usedAt }));
    return { twoFactor: token !== '', recoveryCodes: recoveryCodes.length, passkeys: shown };
  },

  proposeTwoFactor(_, { read, twoFactor }, { userId }) {
    const { token: twoFactorToken, otpauthUrl, qr } = twoFactor.propose(usernameOf(read, userId));
    return { twoFactorToken, otpauthUrl, qr };
  },

  enableTwoFactor({ body: { twoFactorToken, twoFactorCode } }, { twoFactor, now }, request) {
    const token = secretsTable.twoFactorToken.safeParse(twoFactorToken);
    const proof = token.success ? twoFactor.prove(token.data, twoFactorCode, now()) : null;
    if (!proof) return reject('SECOND_FACTOR_WRONG');
    const codes = newRecoveryCodes();
    const data = { user: request.userId as UserId, proof, codes: codes.map(recoveryHash) };
    const done = request.dispatch({ type: 'SetSecondFactor', data });
    return revealed(request, done, codes, message('account.factorSet'));
  },

  async disableTwoFactor({ body: { twoFactorCode } }, services, request) {
    const evidence = await evidenceOf(services, request, twoFactorCode);
    if (evidence instanceof Rejection) return evidence;
    const done = request.dispatch({ type: 'RemoveSecondFactor', data: { user: request.userId as UserId, evidence } });
    if (done instanceof Rejection) return done;
    return renewed(request) ?? new Message(message('account.factorRemoved'));
  },

  async renewRecoveryCodes({ body: { twoFactorCode } }, services, request) {
    const evidence = await evidenceOf(services, request, twoFactorCode);
    if (evidence instanceof Rejection) return evidence;
    const codes = newRecoveryCodes();
    const data = { user: request.userId as UserId, evidence, codes: codes.map(recoveryHash) };
    return revealed(
      request,
      request.dispatch({ type: 'IssueRecoveryCodes', data }),
      codes,
      message('account.codesIssued'),
    );
  },

  async passkeyOptions(_, { read, passkeys }, { auth, userId }) {
    const site = siteOf(auth.peer);
    if (site instanceof Rejection) return site;
    const known = factorsOf(read, userId).passkeys.map(({ credentialId }) => credentialId);
    const account = { id: userId, username: usernameOf(read, userId) };
    return { ...(await passkeys.creation(site, account, auth.attempts.challenges.issue(purposeOf(userId)), known)) };
  },

  async addPasskey({ body: { name, password, twoFactorCode, response } }, services, request) {
    const { auth, userId } = request;
    const { passkeys, read } = services;
    const site = siteOf(auth.peer);
    if (site instanceof Rejection) return site;
    const hasToken = factorsOf(read, userId).token !== '';
    const evidence = hasToken
      ? await evidenceOf(services, request, twoFactorCode)
      : await passwordChecked(services, request, password);
    if (evidence instanceof Rejection) return evidence;
    const challenge = passkeys.challengeOf(response);
    const isOwn = auth.attempts.challenges.use(challenge, purposeOf(userId));
    const credential = isOwn ? await passkeys.registered(site, challenge, response) : null;
    if (!credential) return reject('PASSKEY_INVALID', { why: message('account.passkeyRefused') });
    const data = { user: userId as UserId, name, host: site.host, ...credential, evidence };
    return messageOf(request.dispatch({ type: 'AddPasskey', data }), message('account.passkeyAdded'));
  },

  removePasskey: ({ params: { id } }, _, { dispatch, userId }) =>
    messageOf(
      dispatch({ type: 'RemovePasskey', data: { user: userId as UserId, passkey: id } }),
      message('account.passkeyRemoved'),
    ),
};

const purposeOf = (user: number): string => `passkey of ${user}`;
const factorsOf = (read: ReadModels, user: number) => read.admins.users().factors.get(user) ?? noFactors;
const usernameOf = (read: ReadModels, user: number): string => read.admins.users().users.get(user)?.username ?? '';

/** Checks a code or a recovery code of the admin. A wrong one counts as a failed login. */
async function evidenceOf(
  { read, twoFactor, now }: Pick<Services, 'read' | 'twoFactor' | 'now'>,
  { auth, userId }: AuthRequest,
  code: string,
): Promise<Evidence | Rejection> {
  const { token, recoveryCodes } = factorsOf(read, userId);
  if (token === '') return reject('SECOND_FACTOR_MISSING');
  let evidence: Evidence = {};
  const refused = await limitedAttempt(auth, usernameOf(read, userId), reject('SECOND_FACTOR_WRONG'), () => {
    const proof = twoFactor.prove(token, code, now());
    const recovery = recoveryHash(code);
    evidence = proof ? { proof } : { recovery };
    return proof || recoveryCodes.includes(recovery) ? null : 'two-factor';
  });
  return refused ?? evidence;
}

/** Checks the password of the admin, so that a stolen session cannot add a passkey. */
async function passwordChecked(
  services: Pick<Services, 'read' | 'passwords'>,
  { auth, userId }: AuthRequest,
  password: string,
): Promise<Evidence | Rejection> {
  const { read, passwords } = services;
  const user = read.admins.users().users.get(userId);
  const refused = await limitedAttempt(auth, usernameOf(read, userId), reject('CREDENTIALS_WRONG'), async () =>
    (await passwords.verify(password, user?.passwordHash ?? null, hashesOf(services))) ? null : 'credentials',
  );
  return refused ?? {};
}

/** Continues the session, which the change has ended with all others of the admin. */
function renewed({ auth, userId }: AuthRequest): Rejection | null {
  const { account } = auth.session ?? {};
  return account?.id === userId ? auth.browser.renew(account) : null;
}

/** The new codes. A repeated request has the events of the first one, whose codes are no longer known. */
function revealed(request: AuthRequest, done: Done | Rejection, codes: readonly string[], text: Text) {
  if (done instanceof Rejection) return done;
  const hashes = codes.map(recoveryHash).join();
  const isNew = done.events.some(
    (event) => event.type === 'RecoveryCodesIssued' && event.data.codes.hashes.join() === hashes,
  );
  if (!isNew) return reject('CODES_SHOWN');
  const ends = done.events.some(({ type }) => type === 'SessionsRevoked');
  return (ends ? renewed(request) : null) ?? new Message(text, { recoveryCodes: codes });
}
