import { AdminAccessChanged } from '../../events/access/access.js';
import { OWNER } from '../../events/access/roles.js';
import { UserId } from '../../events/ids.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import { PasskeyUsed } from '../../events/second-factor.js';
import {
  ApiTokenIssued,
  LoggedIn,
  LoggedOut,
  LoginFailed,
  PasswordHashUpgraded,
  SessionsRevoked,
  UserCreated,
  UserCredentialsChanged,
} from '../../events/user.js';
import { composed, keptName, looksLike, sameName } from '../../lib/identifiers.js';
import { accessProblem, type RequestedAccess } from '../access/access-rules.js';
import type { Command, Decider } from '../command.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { type Evidence, evidenceUsed, factorsOf } from './second-factors.js';
import { codeUsed } from './two-factor-rules.js';

/** A name and the hash of a password. Commands never contain the password itself. */
interface NewCredentials {
  readonly username: string;
  readonly passwordHash: string;
}

type NewSession = Omit<Parameters<typeof LoggedIn>[0], 'epoch'> & {
  /** The login epoch in which it began, if it is recorded later; by default the current one. */
  readonly epoch?: number;
};

/** A passkey whose signature was verified. */
export interface UsedPasskey {
  readonly passkey: number;
  readonly signCount: number;
}

export type UserCommand =
  /** Without `access`, the account is an owner. */
  | Command<'CreateUser', NewCredentials & { readonly access?: RequestedAccess }>
  | Command<'ChangeCredentials', NewCredentials & { readonly user: UserId }>
  /** The password is unchanged and was just verified against the hash `from`. */
  | Command<'UpgradePasswordHash', { readonly user: UserId; readonly from: string; readonly passwordHash: string }>
  /** What the admin showed besides the password, or instead of it. */
  | Command<'RecordLogin', NewSession & Evidence & { readonly passkey?: UsedPasskey }>
  /** A new session for an admin whose change of the credentials ended all sessions. */
  | Command<'RenewSession', NewSession>
  | Command<'RecordLogout', Parameters<typeof LoggedOut>[0]>
  /** Ends all sessions of a user. The caller then continues with `RenewSession`. */
  | Command<'EndSessions', { readonly user: UserId }>
  | Command<'RecordLoginFailures', Parameters<typeof LoginFailed>[0]>
  | Command<'IssueApiToken', { readonly token: string; readonly replace: boolean }>;

/** Whether the passkey still exists. A counter that does not grow means that the authenticator was copied. */
function isValidUse(state: PanelState, user: number, { passkey, signCount }: UsedPasskey): boolean {
  const known = factorsOf(state, user).passkeys.find(({ id }) => id === passkey);
  return known !== undefined && (signCount > known.signCount || (signCount === 0 && known.signCount === 0));
}

/** Why an account beside `others` cannot have a name. */
function nameTaken(username: string, others: Iterable<{ readonly username: string }>): Rejection | null {
  for (const { username: other } of others) {
    if (sameName(username, other)) return reject('USER_EXISTS', { username });
    if (looksLike(username, other)) return reject('USER_LOOKS_ALIKE', { username, other });
  }
  return null;
}

export const user: Decider<UserCommand> = {
  CreateUser({ username: requested, passwordHash, access }, state) {
    const { users } = state;
    const username = composed(requested);
    const taken = nameTaken(username, users.values());
    if (taken) return taken;
    const problem = access ? accessProblem(state, access, null) : null;
    if (problem) return problem;
    // Numbers of deleted accounts are not used again.
    const id = UserId.parse(Math.max(state.access.lastAdmin, ...users.keys()) + 1);
    const created = UserCreated({ user: id, epoch: 0, credentials: { username, passwordHash } });
    if (!access || access.role === OWNER) return [created];
    const { role, inbounds, quotas } = access;
    return [created, AdminAccessChanged({ user: id, role, inbounds: [...new Set(inbounds)], quotas })];
  },

  ChangeCredentials({ user: id, username: requested, passwordHash }, { users }) {
    const current = users.get(id);
    if (!current) return reject('CREDENTIALS_WRONG');
    const username = keptName(requested, current.username);
    // The current name may look like another one if it was imported.
    const others = [...users.values()].filter((other) => other.id !== id);
    const taken = username === current.username ? null : nameTaken(username, others);
    if (taken) return taken;
    const epoch = current.epoch + 1;
    return [
      UserCredentialsChanged({ user: id, epoch, credentials: { username, passwordHash } }),
      DataKeyDestroyed({ key: current.key, reason: 'rotated' }),
    ];
  },

  UpgradePasswordHash({ user: id, from, passwordHash }, { users }) {
    const current = users.get(id);
    // A concurrent login replaced the hash, or the password was changed.
    if (current?.passwordHash !== from) return [];
    const { username, epoch } = current;
    return [
      PasswordHashUpgraded({ user: id, epoch, credentials: { username, passwordHash } }),
      DataKeyDestroyed({ key: current.key, reason: 'rotated' }),
    ];
  },

  RecordLogin({ proof, recovery, passkey, ...data }, state, { now }) {
    const current = state.users.get(data.user);
    if (!current) return reject('CREDENTIALS_WRONG');
    const begun = LoggedIn({ ...data, epoch: data.epoch ?? current.epoch });
    if (passkey)
      return isValidUse(state, data.user, passkey)
        ? [PasskeyUsed({ user: data.user, ...passkey }), begun]
        : reject('LOGIN_WRONG');
    if (factorsOf(state, data.user).token !== '') {
      const shown = evidenceUsed(state, data.user, { proof, recovery }, now);
      return shown ? [shown, begun] : reject('LOGIN_WRONG');
    }
    if (!state.settings.twoFactorEnable) return [begun];
    const { value: token, keyVersion } = state.secrets.get('twoFactorToken') ?? { value: '', keyVersion: 0 };
    const used = codeUsed(state, { user: data.user, codes: proof ? [proof] : [] }, token, keyVersion, now);
    return used ? [used, begun] : reject('LOGIN_WRONG');
  },

  RenewSession(data, { users }) {
    const current = users.get(data.user);
    return current ? [LoggedIn({ ...data, epoch: data.epoch ?? current.epoch })] : reject('CREDENTIALS_WRONG');
  },

  RecordLogout: (data) => [LoggedOut(data)],

  EndSessions({ user: id }, { users }) {
    const current = users.get(id);
    if (!current) return reject('CREDENTIALS_WRONG');
    return [SessionsRevoked({ user: id, epoch: current.epoch + 1, reason: 'requested' })];
  },

  RecordLoginFailures: (data) => [LoginFailed(data)],

  IssueApiToken({ token, replace }, { apiToken }) {
    if (apiToken && (!replace || apiToken.token === token)) return [];
    const keyVersion = (apiToken?.keyVersion ?? 0) + 1;
    const issued = ApiTokenIssued({ keyVersion, secret: { token } });
    return apiToken
      ? [issued, DataKeyDestroyed({ key: `api-token/${apiToken.keyVersion}`, reason: 'rotated' })]
      : [issued];
  },
};
