import { randomBytes, scryptSync } from 'node:crypto';
import { open, seal } from '../sqlite/keyring.js';
import { RefusedFile } from './refused-file.js';

/** How the master key lies in a backup. */
export interface KeyBox {
  readonly sealing: 'none' | 'scrypt';
  /** Empty without a passphrase. */
  readonly salt: Buffer;
  /** The `N` of scrypt; 0 without a passphrase. */
  readonly cost: number;
  readonly key: Buffer;
}

/** 128 bytes for each of these and of the 8 blocks: 64 MB for a moment, and a quarter of a second. */
const COST = 65_536;
const BLOCKS = 8;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** The box is for this log only, so that no two can be mixed up. */
const context = (generation: string): string => `portolan backup ${generation}`;

/** Wraps the master key under a passphrase (scrypt, AES-256-GCM); an empty one leaves it as it is. */
export function boxKey(master: Buffer, passphrase: string, generation: string): KeyBox {
  if (passphrase === '') return { sealing: 'none', salt: Buffer.alloc(0), cost: 0, key: master };
  const salt = randomBytes(SALT_BYTES);
  const key = seal(derived(passphrase, salt, COST), master, context(generation));
  return { sealing: 'scrypt', salt, cost: COST, key };
}

/** The master key, or null for a wrong passphrase. Throws `RefusedFile` for a box that cannot be one of ours. */
export function openKey({ sealing, salt, cost, key }: KeyBox, passphrase: string, generation: string): Buffer | null {
  if (sealing === 'none') {
    if (key.length !== KEY_BYTES) throw foreignKey();
    return key;
  }
  // The cost in an untrusted file could take all memory and an hour.
  if (cost !== COST || salt.length !== SALT_BYTES) throw foreignKey();
  try {
    return open(derived(passphrase, salt, cost), key, context(generation));
  } catch {
    return null;
  }
}

const foreignKey = (): RefusedFile => new RefusedFile('The key in it is not wrapped as in a backup');

function derived(passphrase: string, salt: Buffer, cost: number): Buffer {
  const options = { N: cost, r: BLOCKS, p: 1, maxmem: 2 * 128 * cost * BLOCKS };
  return scryptSync(passphrase.normalize('NFKC'), salt, KEY_BYTES, options);
}
