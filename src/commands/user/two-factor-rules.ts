import type { PanelEvent } from '../../events/catalog.js';
import { UserId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { SessionsRevoked, TwoFactorCodeUsed } from '../../events/user.js';
import { message } from '../../messages/message.js';
import type { TwoFactorProof } from '../ports/two-factor.js';
import type { SettingProblem } from '../rejection.js';
import type { PanelState } from '../state.js';
import { codeKey } from '../users.js';

const STEP_MS = 30_000;
/** Time steps by which a code may differ from the clock of the panel. */
const SKEW = 1;

/** A user who sent a code, and the secrets for which the code is valid. */
export interface SubmittedCodes {
  readonly user: UserId;
  readonly codes: readonly TwoFactorProof[];
}

/** The requested change of two-factor login; undefined = unchanged. */
interface TwoFactorChange {
  readonly enable: boolean;
  readonly token: string | undefined;
}

/** The two settings after a change, and the events besides their change. */
interface TwoFactorOutcome {
  readonly problems: readonly SettingProblem[];
  readonly enable: boolean;
  readonly token: string;
  /** Events before and after the change of the settings. */
  readonly before: readonly Caused<PanelEvent>[];
  readonly after: readonly Caused<PanelEvent>[];
}

const NO_TOKEN: SettingProblem = { key: 'twoFactorToken', why: message('settings.twoFactorTokenMissing') };
const NO_CODE: SettingProblem = {
  key: 'twoFactorCode',
  why: message('settings.twoFactorCodeWrong'),
};

/**
 * The rule for all changes of two-factor login. To enable it, a code of the new secret is needed, so that the admin is not
 * locked out. To disable it or replace the secret, a code of the current secret is needed, so that a stolen session is not
 * enough. Each change ends all sessions. Disabling removes the secret, and removing the secret disables it.
 */
export function twoFactorOutcome(
  state: PanelState,
  change: TwoFactorChange,
  shown: SubmittedCodes | undefined,
  now: number,
): TwoFactorOutcome {
  const on = state.settings.twoFactorEnable;
  const { value: stored, keyVersion } = state.secrets.get('twoFactorToken') ?? { value: '', keyVersion: 0 };
  const enable = change.enable && !(on && change.token === '');
  const token = change.token ?? (on && !enable ? '' : stored);
  const as = { enable, token };
  if (enable === on && (token === stored || !on)) return { ...as, problems: [], before: [], after: [] };
  if (!on && token === '') return { ...as, problems: [NO_TOKEN], before: [], after: [] };
  const [proven, ofLife] = on || token === stored ? [stored, keyVersion] : [token, keyVersion + 1];
  const used = codeUsed(state, shown, proven, ofLife, now);
  if (!used) return { ...as, problems: [NO_CODE], before: [], after: [] };
  return { ...as, problems: [], before: [used], after: sessionsEnded(state) };
}

/** Whether a code of this time step is valid now. */
export const isCurrentStep = (step: number, now: number): boolean => Math.abs(step - Math.floor(now / STEP_MS)) <= SKEW;

/** The event that marks a code as used; null if it is of another secret or time, or was used before. */
export function codeUsed(
  { usedCodes }: PanelState,
  shown: SubmittedCodes | undefined,
  token: string,
  keyVersion: number,
  now: number,
): Caused<PanelEvent> | null {
  const proof = shown?.codes.find((code) => code.token === token);
  if (!shown || !proof || token === '') return null;
  const { step } = proof;
  if (!isCurrentStep(step, now) || usedCodes.has(codeKey(keyVersion, step))) return null;
  return TwoFactorCodeUsed({ user: shown.user, keyVersion, timeStep: step });
}

/** Ends all sessions of all users. */
export function sessionsEnded({ users }: PanelState): readonly Caused<PanelEvent>[] {
  return [...users.values()].map(({ id, epoch }) =>
    SessionsRevoked({ user: UserId.parse(id), epoch: epoch + 1, reason: 'two-factor' }),
  );
}
