import type { TwoFactorProof } from '../../../../commands/ports/two-factor.js';
import { reject } from '../../../../commands/rejection.js';
import type { SubmittedCodes } from '../../../../commands/user/two-factor-rules.js';
import type { UserId } from '../../../../events/ids.js';
import { secretsTable } from '../../../../events/settings/settings.js';
import type { AuthRequest } from '../../auth/auth-context.js';
import { limitedAttempt } from '../../auth/limited-attempt.js';
import type { Needs } from '../../context.js';

/** Changes of a body to two-factor login, under our names. */
type Changes = Readonly<Record<string, unknown>>;

/**
 * Checks the code of a body against the token in use, or else against the token that is to be used. A wrong code of the
 * token in use counts as a failed login.
 */
export async function submittedCodes(
  { read, twoFactor, now }: Needs<'read' | 'twoFactor' | 'now'>,
  { auth, actor, userId }: AuthRequest,
  changes: Changes,
  code: string,
): Promise<SubmittedCodes | undefined> {
  const concerned = Object.hasOwn(changes, 'twoFactorEnable') || Object.hasOwn(changes, 'twoFactorToken');
  if (code === '' || !concerned || auth.bearer !== null) return undefined;
  const stored = read.settings.secrets().twoFactorToken;
  const user = userId as UserId;
  if (!read.settings.current().twoFactorEnable) {
    const proof = twoFactor.prove(newToken(changes) ?? stored, code, now());
    return proof ? { user, codes: [proof] } : undefined;
  }
  let proof: TwoFactorProof | null = null;
  const refused = await limitedAttempt(auth, actor.name, reject('LOGIN_WRONG'), () => {
    proof = twoFactor.prove(stored, code, now());
    return proof ? null : 'two-factor';
  });
  return refused === null && proof ? { user, codes: [proof] } : undefined;
}

/** Whether the body starts the setup: it enables two-factor login, and there is no code yet to confirm it. */
export function beginsSetUp({ read }: Needs<'read'>, { auth }: AuthRequest, changes: Changes, code: string): boolean {
  // The API token may not start it; the decider rejects that.
  if (auth.bearer !== null || read.settings.current().twoFactorEnable || changes['twoFactorEnable'] !== true)
    return false;
  if (Object.hasOwn(changes, 'twoFactorToken')) return false;
  return code === '' || read.settings.secrets().twoFactorToken === '';
}

/** The token of the body in normalized form; undefined without a valid one. */
function newToken(changes: Changes): string | undefined {
  const parsed = secretsTable.twoFactorToken.safeParse(changes['twoFactorToken']);
  return parsed.success ? parsed.data : undefined;
}
