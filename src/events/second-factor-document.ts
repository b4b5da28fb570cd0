import type { RecordedEvent } from './catalog.js';

interface Passkey {
  readonly id: number;
  readonly name: string;
  /** Host name of the panel for which it is valid. */
  readonly host: string;
  /** Base64url. */
  readonly credentialId: string;
  readonly publicKey: string;
  readonly transports: readonly string[];
  readonly signCount: number;
  /** Times in ms since 1970; null = never. */
  readonly createdAt: number;
  readonly usedAt: number | null;
}

/** The second factors of one admin. */
export interface SecondFactors {
  /** The two-factor token, base32; empty = none. */
  readonly token: string;
  /** Versions of the data keys of the token and of the recovery codes so far. */
  readonly keyVersion: number;
  readonly codesVersion: number;
  /** SHA-256 of the recovery codes that were not used, hex. */
  readonly recoveryCodes: readonly string[];
  readonly passkeys: readonly Passkey[];
  readonly lastPasskey: number;
}

export const noFactors: SecondFactors = {
  ...{ token: '', keyVersion: 0, codesVersion: 0 },
  ...{ recoveryCodes: [], passkeys: [], lastPasskey: 0 },
};

/** Applies one event. Events of other nouns are ignored. */
export function evolveFactors(factors: Map<number, SecondFactors>, event: RecordedEvent): void {
  if (event.type === 'AdminDeleted') {
    factors.delete(event.data.user);
    return;
  }
  if (!('user' in event.data)) return;
  const { user } = event.data;
  const next = changed(factors.get(user) ?? noFactors, event);
  if (next) factors.set(user, next);
}

function changed(current: SecondFactors, event: RecordedEvent): SecondFactors | null {
  switch (event.type) {
    case 'SecondFactorSet':
      return { ...current, token: event.data.secret.token, keyVersion: event.data.keyVersion };
    case 'SecondFactorRemoved':
      return { ...current, token: '', recoveryCodes: [] };
    case 'RecoveryCodesIssued':
      return { ...current, recoveryCodes: event.data.codes.hashes, codesVersion: event.data.keyVersion };
    case 'RecoveryCodeUsed': {
      const used = new Set(event.data.codes.hashes);
      return { ...current, recoveryCodes: current.recoveryCodes.filter((hash) => !used.has(hash)) };
    }
    case 'PasskeyAdded': {
      const { passkey: id, credential, signCount } = event.data;
      const { id: credentialId, ...rest } = credential;
      const added = { id, credentialId, ...rest, signCount, createdAt: event.meta.at, usedAt: null };
      return { ...current, passkeys: [...current.passkeys, added], lastPasskey: id };
    }
    case 'PasskeyUsed': {
      const { passkey, signCount } = event.data;
      const used = { signCount, usedAt: event.meta.at };
      return { ...current, passkeys: current.passkeys.map((one) => (one.id === passkey ? { ...one, ...used } : one)) };
    }
    case 'PasskeyRemoved': {
      const { passkey } = event.data;
      return { ...current, passkeys: current.passkeys.filter(({ id }) => id !== passkey) };
    }
    default:
      return null;
  }
}
