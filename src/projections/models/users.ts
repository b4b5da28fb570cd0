import type { RecordedEvent } from '../../events/catalog.js';
import { type Fold, foldOf } from '../../events/log/fold.js';
import { evolveFactors, type SecondFactors } from '../../events/second-factor-document.js';
import { mayBePruned } from '../../events/traffic/traffic.js';

export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly epoch: number;
}

/** A session. Its cookie contains only the id whose SHA-256 is the key of this record. */
export interface Session {
  readonly user: number;
  readonly epoch: number;
  readonly csrfToken: string;
  /** User agent of the browser at the login; empty = not known. */
  readonly device: string;
  /** IP address of the login; null = not known. */
  readonly ip: string | null;
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** The admin accounts, their sessions, and the API token. */
interface Users {
  readonly users: Map<number, UserRow>;
  /** By SHA-256 of the session id, hex. */
  readonly sessions: Map<string, Session>;
  /** The second factors of the admins who have some, by number of the account. */
  readonly factors: Map<number, SecondFactors>;
  /** When each admin last logged in, as far as the log has the login. */
  readonly lastLogins: Map<number, number>;
  apiToken: string | null;
}

/** Ends the sessions of a user that began before the login epoch. */
function endBefore({ sessions }: Users, user: number, epoch: number): void {
  for (const [id, session] of sessions) if (session.user === user && session.epoch < epoch) sessions.delete(id);
}

const factors = (state: Users, event: RecordedEvent): void => evolveFactors(state.factors, event);

export const users: Fold<Users> = foldOf<Users>({
  name: 'users',
  version: 7,
  initial: () => ({
    ...{ users: new Map(), sessions: new Map(), factors: new Map(), lastLogins: new Map() },
    apiToken: null,
  }),
  on: {
    UserCreated: (state, { data: { user, epoch, credentials } }) =>
      void state.users.set(user, { id: user, epoch, ...credentials }),
    UserCredentialsChanged(state, { data: { user, epoch, credentials } }) {
      state.users.set(user, { id: user, epoch, ...credentials });
      endBefore(state, user, epoch);
    },
    PasswordHashUpgraded: (state, { data: { user, epoch, credentials } }) =>
      void state.users.set(user, { id: user, epoch, ...credentials }),
    AdminDeleted(state, event) {
      const { user } = event.data;
      evolveFactors(state.factors, event);
      state.users.delete(user);
      state.lastLogins.delete(user);
      endBefore(state, user, Number.POSITIVE_INFINITY);
    },
    SessionsRevoked(state, { data: { user, epoch } }) {
      const row = state.users.get(user);
      if (row) state.users.set(user, { ...row, epoch });
      endBefore(state, user, epoch);
    },
    LoggedIn(state, { data: { user, epoch, session, expiresAt }, meta }) {
      const { idHash, csrfToken, device } = session;
      const { at: startedAt, actor } = meta;
      state.sessions.set(idHash, { user, epoch, csrfToken, device, ip: actor.ip, startedAt, expiresAt });
      state.lastLogins.set(user, startedAt);
      // Expired sessions are removed at a login, because the fold has no clock.
      for (const [id, other] of state.sessions) if (other.expiresAt <= meta.at) state.sessions.delete(id);
    },
    // Sessions of the restored file are not valid.
    StateImported: (state) => state.sessions.clear(),
    LoggedOut: (state, { data }) => void state.sessions.delete(data.session.idHash),
    SecondFactorSet: factors,
    SecondFactorRemoved: factors,
    RecoveryCodesIssued: factors,
    RecoveryCodeUsed: factors,
    PasskeyAdded: factors,
    PasskeyUsed: factors,
    PasskeyRemoved: factors,
    ApiTokenIssued: (state, { data }) => void (state.apiToken = data.secret.token),
    MeasurementsRolledUp(state, { data }) {
      // Logins are measurements. A session ends when its login is pruned, as in a replay.
      for (const [id, session] of state.sessions) if (mayBePruned(data, session.startedAt)) state.sessions.delete(id);
      for (const [user, at] of state.lastLogins) if (mayBePruned(data, at)) state.lastLogins.delete(user);
    },
  },
});
