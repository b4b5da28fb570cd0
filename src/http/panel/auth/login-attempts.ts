import type { CommandContext, Dispatch } from '../../../commands/bus.js';
import type { AnyCommand } from '../../../commands/catalog.js';
import type { UserId } from '../../../events/ids.js';
import type { UserRow } from '../../../projections/models/users.js';
import type { Challenges } from './challenges.js';
import type { FailureReason, FailureRecords, Failures } from './failure-records.js';
import type { LoginLimiter } from './limiter.js';

/** What logins of all requests share. */
export interface LoginAttemptsParts {
  readonly limiter: LoginLimiter;
  readonly failures: FailureRecords;
  readonly dispatch: Dispatch;
  readonly challenges: Challenges;
}

/** The attempts to log in of one request. */
export class LoginAttempts {
  readonly limiter: LoginLimiter;
  /** Challenges for passkeys. */
  readonly challenges: Challenges;
  readonly #parts: LoginAttemptsParts;
  readonly #ip: string;
  readonly #context: (kind: 'user' | 'system', id: string, name: string) => CommandContext;

  /** `context`: without the request's `Idempotency-Key`, because a session cannot be issued twice. */
  constructor(
    parts: LoginAttemptsParts,
    ip: string,
    context: (kind: 'user' | 'system', id: string, name: string) => CommandContext,
  ) {
    this.limiter = parts.limiter;
    this.challenges = parts.challenges;
    this.#parts = parts;
    this.#ip = ip;
    this.#context = context;
  }

  /** Stores another hash of the same password. If that fails, the old hash stays in use. */
  upgradeHash({ id, username, passwordHash: from }: UserRow, passwordHash: string): void {
    const data = { user: id as UserId, from, passwordHash };
    this.#parts.dispatch({ type: 'UpgradePasswordHash', data }, this.#context('user', String(id), username));
  }

  /** Records a failed login, or counts it. The answer does not depend on whether that worked. */
  recordFailure(username: string, reason: FailureReason): void {
    const failure = { ip: this.#ip, username, reason };
    if (this.#parts.failures.mayRecord(failure))
      this.#parts.dispatch(loginFailure({ ...failure, count: 1 }), this.#context('system', 'login', 'login'));
  }
}

/** The command that records failed logins: the name is cut, and the password is never included. */
export function loginFailure({ ip, username, reason, count }: Failures): AnyCommand {
  const shown = username.replace(/\p{Cc}/gu, '\ufffd').slice(0, 64);
  return { type: 'RecordLoginFailures', data: { attempt: { username: shown, ip }, reason, count } };
}
