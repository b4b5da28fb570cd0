import {
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { derivedKey, open, seal } from '../adapters/sqlite/keyring.js';

const KEY_BYTES = 32;
/** Crockford's digits: none of them can be taken for another one. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 100 bits, so that no second key with the same fingerprint can be computed. */
const FINGERPRINT_DIGITS = 20;
const GROUP = /.{5}(?=.)/g;

/** What a sealed master key is bound to: it opens for no other member, leader or log. */
export interface Binding {
  readonly member: string;
  readonly leader: string;
  /** The id of the first event of the log. */
  readonly log: string;
}

/** A master key that only the new member can open. All are Base64. */
export interface SealedKey {
  /** The public key of the leader, made for this box only. */
  readonly ephemeral: string;
  readonly box: string;
}

/** The key pair of a new member, and its public key (X25519, Base64). */
export interface MemberKeys {
  readonly own: KeyObject;
  readonly publicKey: string;
}

export function createMemberKeys(): MemberKeys {
  const { privateKey: own, publicKey } = generateKeyPairSync('x25519');
  return { own, publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64') };
}

/** What a machine joins as: `subscriptions` is a mirror, which does not get the master key. */
export type JoinRole = 'member' | 'subscriptions';

/** Both sides compute it from what they have, so a key or a role that was exchanged on the way is noticed. */
export function fingerprintOf(
  publicKey: string,
  { member, log, role = 'member' }: Pick<Binding, 'member' | 'log'> & { readonly role?: JoinRole },
): string {
  const parts = ['portolan cluster join', member, log, publicKey, ...(role === 'member' ? [] : [role])];
  return digits(createHash('sha256').update(parts.join('\0')).digest());
}

/** Tells the master key of one panel from that of another, and reveals nothing of it. */
export function masterFingerprint(master: Buffer): string {
  return digits(derivedKey(master, 'cluster fingerprint'));
}

function digits(hash: Buffer): string {
  const text = [...hash.subarray(0, FINGERPRINT_DIGITS)].map((byte) => DIGITS[byte % DIGITS.length]).join('');
  return text.replaceAll(GROUP, '$&-');
}

/** Whether a typed fingerprint is the expected one; case, spaces and dashes do not matter. */
export function sameFingerprint(typed: string, expected: string): boolean {
  const plain = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, '');
  return plain(typed) === plain(expected);
}

/** Seals the master key: X25519 with a new key, HKDF-SHA-256, AES-256-GCM. Throws for an invalid public key. */
export function sealMaster(master: Buffer, publicKey: string, binding: Binding): SealedKey {
  const { own, publicKey: ephemeral } = createMemberKeys();
  const key = sharedKey(own, publicKey, { ephemeral, publicKey });
  return { ephemeral, box: seal(key, master, contextOf(binding)).toString('base64') };
}

/** Throws when the box was changed, or was sealed for another key, member, leader or log. */
export function openMaster({ own, publicKey }: MemberKeys, { ephemeral, box }: SealedKey, binding: Binding): Buffer {
  const key = sharedKey(own, ephemeral, { ephemeral, publicKey });
  const master = open(key, Buffer.from(box, 'base64'), contextOf(binding));
  if (master.length !== KEY_BYTES) throw new Error(`a master key has ${KEY_BYTES} bytes, not ${master.length}`);
  return master;
}

const contextOf = ({ member, leader, log }: Binding): string =>
  JSON.stringify(['portolan cluster join', member, leader, log]);

function sharedKey(own: KeyObject, other: string, keys: { readonly ephemeral: string; readonly publicKey: string }) {
  const x = Buffer.from(other, 'base64').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
  const secret = diffieHellman({ privateKey: own, publicKey });
  const salt = Buffer.from(`${keys.ephemeral}\0${keys.publicKey}`);
  return Buffer.from(hkdfSync('sha256', secret, salt, 'portolan cluster join', KEY_BYTES));
}

/** Proves that the sender of these values has the master key. Hex. */
export function proofOf(master: Buffer, values: readonly (string | number)[]): string {
  return createHmac('sha256', derivedKey(master, 'cluster snapshot')).update(JSON.stringify(values)).digest('hex');
}

export function isProof(proof: string, master: Buffer, values: readonly (string | number)[]): boolean {
  const [given, expected] = [Buffer.from(proof), Buffer.from(proofOf(master, values))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
