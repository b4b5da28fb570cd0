import type { PanelEvent } from '../../events/catalog.js';
import { UserId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { SessionsRevoked, TwoFactorCodeUsed } from '../../events/user.js';
import { message } from '../../messages/message.js';
import type { TwoFactorProof } from '../ports/two-factor.js';
import type { SettingProblem } from '../rejection.js';
import { codeKey, type PanelState } from '../state.js';

const STEP_MS = 30_000;
/** Steps that a code may be away from the clock of the panel. */
const SKEW = 1;

/** Who shows a code, and for which tokens it was found to be right. */
export interface Shown {
  readonly user: UserId;
  readonly codes: readonly TwoFactorProof[];
}

/** What a change of the settings asks for in this matter; undefined = as it is. */
export interface TwoFactorWish {
  readonly enable: boolean;
  readonly token: string | undefined;
}

/** What comes of a wish: how the two settings are afterwards, and what else happens. */
export interface TwoFactorOutcome {
  readonly problems: readonly SettingProblem[];
  readonly enable: boolean;
  readonly token: string;
  /** Before the settings change, and after it. */
  readonly before: readonly Caused<PanelEvent>[];
  readonly after: readonly Caused<PanelEvent>[];
}

const NO_TOKEN: SettingProblem = { key: 'twoFactorToken', why: message('settings.twoFactorTokenMissing') };
const NO_CODE: SettingProblem = {
  key: 'twoFactorCode',
  why: message('settings.twoFactorCodeWrong'),
};

/**
 * The one rule for every way in which two-factor login is changed. Switching it on needs a code of the token that it is
 * switched on with, so that nobody locks himself out; switching it off, or another token while it is on, needs a code of
 * the token that is in use, so that a stolen session is not enough. Whatever changes ends all sessions. The token goes
 * with the switch: off takes it away, and taking it away is off.
 */
export function twoFactorOutcome(
  state: PanelState,
  wish: TwoFactorWish,
  shown: Shown | undefined,
  now: number,
): TwoFactorOutcome {
  const on = state.settings.twoFactorEnable;
  const { value: stored, keyVersion } = state.secrets.get('twoFactorToken') ?? { value: '', keyVersion: 0 };
  const enable = wish.enable && !(on && wish.token === '');
  const token = wish.token ?? (on && !enable ? '' : stored);
  const as = { enable, token };
  if (enable === on && (token === stored || !on)) return { ...as, problems: [], before: [], after: [] };
  if (!on && token === '') return { ...as, problems: [NO_TOKEN], before: [], after: [] };
  const [proven, ofLife] = on || token === stored ? [stored, keyVersion] : [token, keyVersion + 1];
  const used = codeUsed(state, shown, proven, ofLife, now);
  if (!used) return { ...as, problems: [NO_CODE], before: [], after: [] };
  return { ...as, problems: [], before: [used], after: sessionsEnded(state) };
}

/** The code as taken, or null: of another token, of another time, or taken before. */
export function codeUsed(
  { usedCodes }: PanelState,
  shown: Shown | undefined,
  token: string,
  keyVersion: number,
  now: number,
): Caused<PanelEvent> | null {
  const proof = shown?.codes.find((code) => code.token === token);
  if (!shown || !proof || token === '') return null;
  const { step } = proof;
  if (Math.abs(step - Math.floor(now / STEP_MS)) > SKEW || usedCodes.has(codeKey(keyVersion, step))) return null;
  return TwoFactorCodeUsed({ user: shown.user, keyVersion, timeStep: step });
}

/** Every session of everybody, over. */
export function sessionsEnded({ users }: PanelState): readonly Caused<PanelEvent>[] {
  return [...users.values()].map(({ id, epoch }) =>
    SessionsRevoked({ user: UserId.parse(id), epoch: epoch + 1, reason: 'two-factor' }),
  );
}
