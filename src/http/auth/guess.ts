import type { FailureReason, Visit } from './visit.js';

/**
 * Somebody tries to prove who he is. The try counts from its start, and as a success only when `check` resolves to null;
 * what it resolves to otherwise is kept in the log. Resolves to whether it succeeded; false without a check to who is
 * locked out.
 */
export async function guess(
  visit: Visit,
  username: string,
  check: () => FailureReason | null | Promise<FailureReason | null>,
): Promise<boolean> {
  const attempt = await visit.limiter.enter(visit.peer.ip, username);
  if (!attempt) return false;
  let failure: FailureReason | null = 'credentials';
  try {
    failure = await check();
  } finally {
    if (failure === null) attempt.succeeded();
    else attempt.failed();
  }
  if (failure !== null) visit.failed(username, failure);
  return failure === null;
}
