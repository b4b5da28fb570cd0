import { type Rejection, reject } from '../../../commands/rejection.js';
import type { FailureReason } from './failure-records.js';
import type { Visit } from './visit.js';

/**
 * One attempt to prove who the caller is. It counts from its start, and as a success only when `check` resolves to null;
 * any other outcome is kept in the log. Resolves to null on success, else to `wrong`, also for a caller who is locked out and
 * whose attempt was not checked. `LOGIN_BUSY` when too many attempts are under way.
 */
export async function guess(
  visit: Visit,
  username: string,
  wrong: Rejection,
  check: () => FailureReason | null | Promise<FailureReason | null>,
): Promise<Rejection | null> {
  const attempt = await visit.limiter.enter(visit.peer.ip, username);
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
  visit.failed(username, failure);
  return wrong;
}
