import { createPrivateKey, createPublicKey } from 'node:crypto';

/** The prefix of a 32-byte X25519 private key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const MAX_KNOWN = 1000;
const known = new Map<string, string>();

/** The public key for a private REALITY key, both in base64url; empty for an invalid key. */
export function realityPublicKey(privateKey: string): string {
  const seen = known.get(privateKey);
  if (seen !== undefined) return seen;
  const publicKey = derived(Buffer.from(privateKey, 'base64url'));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(privateKey, publicKey);
  return publicKey;
}

function derived(bytes: Buffer): string {
  if (bytes.length !== 32) return '';
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'jwk' }).x ?? '';
}
