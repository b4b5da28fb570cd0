import { hash } from 'node:crypto';

/** SHA-256 of bytes. In Node 20, a digest as text and a copy of it take half the time of a digest as a buffer. */
export function sha256(bytes: Buffer): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}
