import { hash, randomBytes } from 'node:crypto';

/** Every secret of an access token starts with this, so that scanners and people recognise it. */
export const TOKEN_PREFIX = 'ptl_';
/** Characters of a secret that lists show. */
const SHOWN_CHARS = TOKEN_PREFIX.length + 8;

interface TokenSecret {
  /** 256 random bits after the prefix. It is shown once and never stored. */
  readonly secret: string;
  /** The first characters, to recognise it in a list. */
  readonly prefix: string;
  /** SHA-256, hex. */
  readonly hash: string;
}

export function newTokenSecret(): TokenSecret {
  const secret = TOKEN_PREFIX + randomBytes(32).toString('base64url');
  return { secret, prefix: secret.slice(0, SHOWN_CHARS), hash: hashOfSecret(secret) };
}

export const hashOfSecret = (secret: string): string => hash('sha256', secret, 'hex');
