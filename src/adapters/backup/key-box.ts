import { randomBytes, scryptSync } from 'node:crypto';
import { RefusedFile } from '../../commands/ports/refused-file.js';
import { message } from '../../messages/message.js';
import { open, seal } from '../sqlite/keyring.js';

/** How the master key is stored in a backup. */
interface KeyBox {
  readonly sealing: 'none' | 'scrypt';
  /** Empty without a passphrase. */
  readonly salt: Buffer;
  /** The `N` of scrypt; 0 without a passphrase. */
  readonly cost: number;
  readonly key: Buffer;
}

/** scrypt needs 128 bytes for each of these and of the 8 blocks: 64 MB and a quarter of a second. */
const COST = 65_536;
const BLOCKS = 8;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Binds the box to one log, so that the keys of two logs cannot be confused. */
const context = (generation: string): string => `portolan backup ${generation}`;

/** Wraps the master key under a passphrase (scrypt, AES-256-GCM); an empty one leaves it as it is. */
export function boxKey(master: Buffer, passphrase: string, generation: string): KeyBox {
  if (passphrase === '') return { sealing: 'none', salt: Buffer.alloc(0), cost: 0, key: master };
  const salt = randomBytes(SALT_BYTES);
  const key = seal(derived(passphrase, salt, COST), master, context(generation));
  return { sealing: 'scrypt', salt, cost: COST, key };
}

/** The master key, or null for a wrong passphrase. Throws `RefusedFile` for a box that this panel cannot have written. */
export function openKey({ sealing, salt, cost, key }: KeyBox, passphrase: string, generation: string): Buffer | null {
  if (sealing === 'none') {
    if (key.length !== KEY_BYTES) throw invalidKey();
    return key;
  }
  // A forged cost could take all memory and an hour.
  if (cost !== COST || salt.length !== SALT_BYTES) throw invalidKey();
  try {
    return open(derived(passphrase, salt, cost), key, context(generation));
  } catch {
    return null;
  }
}

const invalidKey = (): RefusedFile => new RefusedFile(message('backup.keyInvalid'));

function derived(passphrase: string, salt: Buffer, cost: number): Buffer {
  const options = { N: cost, r: BLOCKS, p: 1, maxmem: 2 * 128 * cost * BLOCKS };
  return scryptSync(passphrase.normalize('NFKC'), salt, KEY_BYTES, options);
}
