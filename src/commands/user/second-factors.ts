import type { PanelEvent } from '../../events/catalog.js';
import type { UserId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import {
  OwnCodeUsed,
  PasskeyAdded,
  PasskeyRemoved,
  passkeyKey,
  RecoveryCodesIssued,
  RecoveryCodeUsed,
  recoveryCodesKey,
  SecondFactorRemoved,
  SecondFactorSet,
  secondFactorKey,
} from '../../events/second-factor.js';
import { noFactors, type SecondFactors } from '../../events/second-factor-document.js';
import { SessionsRevoked } from '../../events/user.js';
import { hiddenIn } from '../../lib/identifiers.js';
import { message } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import type { NewPasskey } from '../ports/passkeys.js';
import type { TwoFactorProof } from '../ports/two-factor.js';
import { reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { ownCodeKey } from '../users.js';
import { isCurrentStep } from './two-factor-rules.js';

/** What an admin showed besides the password: a valid code of the token, or the SHA-256 of a recovery code. */
export interface Evidence {
  readonly proof?: TwoFactorProof | undefined;
  readonly recovery?: string | undefined;
}

const MAX_PASSKEYS = 20;
const MAX_NAME_CHARS = 64;

export type SecondFactorCommand =
  /** `proof`: a valid code of the new token. `codes`: SHA-256 of the recovery codes. */
  | Command<
      'SetSecondFactor',
      { readonly user: UserId; readonly proof: TwoFactorProof; readonly codes: readonly string[] }
    >
  | Command<'RemoveSecondFactor', { readonly user: UserId; readonly evidence: Evidence }>
  | Command<
      'IssueRecoveryCodes',
      { readonly user: UserId; readonly evidence: Evidence; readonly codes: readonly string[] }
    >
  /** The password or `evidence` was checked: an admin with a second factor shows it. */
  | Command<
      'AddPasskey',
      NewPasskey & { readonly user: UserId; readonly name: string; readonly host: string; readonly evidence: Evidence }
    >
  | Command<'RemovePasskey', { readonly user: UserId; readonly passkey: number }>
  /** For an admin who is locked out. It needs no code. */
  | Command<'RemoveFactors', { readonly user: UserId }>;

const WRONG = reject('SECOND_FACTOR_WRONG');

export const secondFactors: Decider<SecondFactorCommand> = {
  SetSecondFactor({ user, proof, codes: hashes }, state, { now }) {
    const own = factorsOf(state, user);
    if (own.token !== '') return reject('SECOND_FACTOR_SET');
    if (!isCurrentStep(proof.step, now)) return WRONG;
    const keyVersion = own.keyVersion + 1;
    return [
      OwnCodeUsed({ user, keyVersion, timeStep: proof.step }),
      SecondFactorSet({ user, keyVersion, secret: { token: proof.token } }),
      RecoveryCodesIssued({ user, keyVersion: own.codesVersion + 1, codes: { hashes: [...hashes] } }),
      ...sessionsOf(state, user),
    ];
  },

  RemoveSecondFactor({ user, evidence }, state, { now }) {
    if (factorsOf(state, user).token === '') return reject('SECOND_FACTOR_MISSING');
    const used = evidenceUsed(state, user, evidence, now);
    return used ? [used, ...removal(state, user), ...sessionsOf(state, user)] : WRONG;
  },

  IssueRecoveryCodes({ user, evidence, codes: hashes }, state, { now }) {
    const { token, codesVersion } = factorsOf(state, user);
    if (token === '') return reject('SECOND_FACTOR_MISSING');
    const used = evidenceUsed(state, user, evidence, now);
    if (!used) return WRONG;
    return [
      used,
      RecoveryCodesIssued({ user, keyVersion: codesVersion + 1, codes: { hashes: [...hashes] } }),
      DataKeyDestroyed({ key: recoveryCodesKey({ user, keyVersion: codesVersion }), reason: 'rotated' }),
    ];
  },

  AddPasskey({ user, name: requested, host, id, publicKey, transports, signCount, evidence }, state, { now }) {
    const own = factorsOf(state, user);
    const name = requested.trim().normalize('NFC');
    if (name === '' || name.length > MAX_NAME_CHARS || hiddenIn(name) !== null)
      return reject('PASSKEY_INVALID', { why: message('account.passkeyName', { most: MAX_NAME_CHARS }) });
    if (own.passkeys.length >= MAX_PASSKEYS)
      return reject('PASSKEY_INVALID', { why: message('account.passkeyTooMany', { most: MAX_PASSKEYS }) });
    const known = [...state.factors.values()].some(({ passkeys }) =>
      passkeys.some(({ credentialId }) => credentialId === id),
    );
    if (known) return reject('PASSKEY_INVALID', { why: message('account.passkeyKnown') });
    const used = own.token === '' ? null : evidenceUsed(state, user, evidence, now);
    if (own.token !== '' && !used) return WRONG;
    const credential = { name, host, id, publicKey, transports: [...transports] };
    return [...(used ? [used] : []), PasskeyAdded({ user, passkey: own.lastPasskey + 1, credential, signCount })];
  },

  RemovePasskey({ user, passkey }, state) {
    const known = factorsOf(state, user).passkeys.some(({ id }) => id === passkey);
    return known ? passkeyRemoval(user, passkey) : reject('PASSKEY_NOT_FOUND', { passkey });
  },

  RemoveFactors({ user }, state) {
    const { token, passkeys } = factorsOf(state, user);
    if (token === '' && passkeys.length === 0) return [];
    return [
      ...(token === '' ? [] : removal(state, user)),
      ...passkeys.flatMap(({ id }) => passkeyRemoval(user, id)),
      ...sessionsOf(state, user),
    ];
  },
};

export const factorsOf = ({ factors }: Pick<PanelState, 'factors'>, user: number): SecondFactors =>
  factors.get(user) ?? noFactors;

/** The event that marks what an admin showed as used; null if it is wrong, or was used before. */
export function evidenceUsed(
  state: PanelState,
  user: UserId,
  { proof, recovery }: Evidence,
  now: number,
): Caused<PanelEvent> | null {
  const { token, keyVersion, codesVersion, recoveryCodes } = factorsOf(state, user);
  if (token === '') return null;
  if (proof?.token === token && isCurrentStep(proof.step, now)) {
    const code = { user, keyVersion, timeStep: proof.step };
    return state.usedCodes.has(ownCodeKey(code)) ? null : OwnCodeUsed(code);
  }
  if (recovery === undefined || !recoveryCodes.includes(recovery)) return null;
  const left = recoveryCodes.length - 1;
  return RecoveryCodeUsed({ user, keyVersion: codesVersion, codes: { hashes: [recovery] }, left });
}

/** The keys of the second factors of an admin. */
export function factorKeys(state: PanelState, user: number): readonly string[] {
  const { token, keyVersion, codesVersion, passkeys } = factorsOf(state, user);
  return [
    ...(token === ''
      ? []
      : [secondFactorKey({ user, keyVersion }), recoveryCodesKey({ user, keyVersion: codesVersion })]),
    ...passkeys.map(({ id }) => passkeyKey({ user, passkey: id })),
  ];
}

function removal(state: PanelState, user: UserId): readonly Caused<PanelEvent>[] {
  const { keyVersion, codesVersion } = factorsOf(state, user);
  return [
    SecondFactorRemoved({ user }),
    DataKeyDestroyed({ key: secondFactorKey({ user, keyVersion }), reason: 'rotated' }),
    DataKeyDestroyed({ key: recoveryCodesKey({ user, keyVersion: codesVersion }), reason: 'rotated' }),
  ];
}

const passkeyRemoval = (user: UserId, passkey: number): readonly Caused<PanelEvent>[] => [
  PasskeyRemoved({ user, passkey }),
  DataKeyDestroyed({ key: passkeyKey({ user, passkey }), reason: 'erased' }),
];

/** Ends the sessions of one admin. */
function sessionsOf({ users }: PanelState, user: UserId): readonly Caused<PanelEvent>[] {
  const account = users.get(user);
  return account ? [SessionsRevoked({ user, epoch: account.epoch + 1, reason: 'two-factor' })] : [];
}
