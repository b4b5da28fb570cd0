import { generateKeyPairSync } from 'node:crypto';

/** A new X25519 pair in base64url; the private key in the clamped form that `xray x25519` prints. */
export function x25519(): { readonly privateKey: string; readonly publicKey: string } {
  const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const key = Buffer.from(d, 'base64url');
  key.writeUInt8(key.readUInt8(0) & 248, 0);
  key.writeUInt8((key.readUInt8(31) & 127) | 64, 31);
  return { privateKey: key.toString('base64url'), publicKey: x };
}
