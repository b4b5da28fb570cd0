import { type Rejection, reject } from '../../../commands/rejection.js';
import type { AuthContext } from './auth-context.js';
import type { FailureReason } from './failure-records.js';

/**
 * One rate-limited attempt to prove an identity. It counts from its start, and succeeds only when `check` resolves to null.
 * Any other outcome is recorded as a failure. Resolves to null on success, else to `wrong`, also when the caller is locked
 * out and nothing was checked. `LOGIN_BUSY` when too many attempts are under way.
 */
export async function limitedAttempt(
  auth: AuthContext,
  username: string,
  wrong: Rejection,
  check: () => FailureReason | null | Promise<FailureReason | null>,
): Promise<Rejection | null> {
  const attempt = await auth.attempts.limiter.enter(auth.peer.ip, username);
  if (attempt === 'busy') return reject('LOGIN_BUSY');
  if (attempt === 'locked') return wrong;
  let failure: FailureReason | null = 'credentials';
  try {
    failure = await check();
  } finally {
    if (failure === null) attempt.succeeded();
    else attempt.failed();
  }
  if (failure === null) return null;
  auth.attempts.recordFailure(username, failure);
  return wrong;
}
