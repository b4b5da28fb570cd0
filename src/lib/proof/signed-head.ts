import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { isObject } from '../json.js';

/** The end of a log at a moment. */
export interface Head {
  /** The id of the panel: the id of the first event of its log. */
  readonly panel: string;
  /** The position of the last event, which is also the size of the Merkle tree. */
  readonly position: number;
  /** The chain hash of the last event, hex. */
  readonly hash: string;
  /** The root of the Merkle tree over the chain hashes of all events, hex. */
  readonly root: string;
  /** By the clock of the panel, ms since 1970. It may go back when the clock was set back. */
  readonly at: number;
}

/** A head with the Ed25519 signature of the panel, as it is published. */
export interface SignedHead extends Head {
  readonly format: typeof FORMAT;
  /** The first 16 hexadecimal digits of the SHA-256 of the public key. */
  readonly key: string;
  /** Base64. */
  readonly signature: string;
}

export const FORMAT = 'portolan-head-1';

const HEX = /^[0-9a-f]{64}$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY_ID = /^[0-9a-f]{16}$/;
/** The 64 bytes of an Ed25519 signature. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
/** DER of an Ed25519 public key before its 32 bytes (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

/** What is signed: the values on lines of their own, each ended by a line feed. */
function signedText({ panel, position, hash, root, at }: Head): Buffer {
  return Buffer.from(`${[FORMAT, panel, position, hash, root, at].join('\n')}\n`);
}

/** A new key pair. The private key is PKCS #8 DER in base64, the public key its 32 bytes in base64. */
export function createHeadKey(): { readonly publicKey: string; readonly privateKey: string } {
  const pair = generateKeyPairSync('ed25519');
  const der = pair.publicKey.export({ type: 'spki', format: 'der' });
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  return { publicKey: der.subarray(SPKI.length).toString('base64'), privateKey };
}

/** The first 16 hexadecimal digits of the SHA-256 of a public key, given in base64. */
export function keyId(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 16);
}

/** A public key as a PEM file. */
export function publicKeyPem(publicKey: string): string {
  return keyObject(Buffer.from(publicKey, 'base64')).export({ type: 'spki', format: 'pem' }).toString();
}

function keyObject(raw: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
}

export function signHead(head: Head, key: { readonly publicKey: string; readonly privateKey: string }): SignedHead {
  const secret = createPrivateKey({ key: Buffer.from(key.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const signature = sign(null, signedText(head), secret).toString('base64');
  const { panel, position, hash, root, at } = head;
  return { format: FORMAT, panel, position, hash, root, at, key: keyId(key.publicKey), signature };
}

/** A public key in base64 from a text: PEM, or its 32 bytes in base64 or hex. Null for anything else. */
export function readPublicKey(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('-----BEGIN PUBLIC KEY-----')) {
    const der = Buffer.from(trimmed.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
    const isEd25519 = der.length === SPKI.length + KEY_BYTES && der.subarray(0, SPKI.length).equals(SPKI);
    return isEd25519 ? der.subarray(SPKI.length).toString('base64') : null;
  }
  const raw = Buffer.from(trimmed, HEX.test(trimmed) ? 'hex' : 'base64');
  const isKey = raw.length === KEY_BYTES && (HEX.test(trimmed) || raw.toString('base64') === trimmed);
  return isKey ? raw.toString('base64') : null;
}

/** Whether the head was signed with the private key of this public key. */
export function isSignedBy(head: SignedHead, publicKey: string): boolean {
  if (head.key !== keyId(publicKey)) return false;
  return verify(
    null,
    signedText(head),
    keyObject(Buffer.from(publicKey, 'base64')),
    Buffer.from(head.signature, 'base64'),
  );
}

/** A head from parsed JSON; null when the value is not one. The signature is not checked. */
export function readHead(value: unknown): SignedHead | null {
  if (!isObject(value)) return null;
  const { format, panel, position, hash, root, at, key, signature } = value;
  const isHead =
    format === FORMAT &&
    matches(panel, ID) &&
    isCount(position) &&
    position !== 0 &&
    matches(hash, HEX) &&
    matches(root, HEX) &&
    isCount(at) &&
    matches(key, KEY_ID) &&
    matches(signature, SIGNATURE);
  if (!isHead) return null;
  return { format, panel, position, hash, root, at, key, signature } as SignedHead;
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
