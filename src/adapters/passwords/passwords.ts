import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Passwords } from '../../commands/ports/passwords.js';
import { BcryptThread } from './bcrypt-thread.js';

/** One of the equivalent settings that OWASP recommends: the one that uses the least cache. */
const LN = 14;
const R = 8;
const P = 5;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Each hash takes 16 MB and a thread of the pool that is also used for files and name lookups. */
const MAX_PARALLEL = 2;

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** The format of 3x-ui. A cost above 14 takes more than a second of CPU time. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

interface Parsed {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

type Derive = (password: string, salt: Buffer, bytes: number, options: ScryptOptions) => Promise<Buffer>;
const inThreadPool: Derive = promisify(scrypt);

/** The hash for unknown users: as slow as a real one, and equal to none. */
const UNKNOWN_USER: Parsed = { ln: LN, r: R, p: P, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };

/**
 * scrypt from `node:crypto`, two at a time, as PHC strings: `$scrypt$ln=14,r=8,p=5$salt$hash`. bcrypt hashes, imported from
 * another panel, are verified and never created.
 */
class ScryptPasswords implements Passwords {
  readonly #bcrypt = new BcryptThread();
  readonly #scrypt: Derive;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(derive: Derive) {
    this.#scrypt = derive;
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#derive(password, { ...UNKNOWN_USER, salt });
    return `$scrypt$ln=${LN},r=${R},p=${P}$${unpadded(salt)}$${unpadded(key)}`;
  }

  async verify(password: string, hash: string | null, others: readonly string[] = []): Promise<boolean> {
    const work = new Map([[costOf(UNKNOWN_USER), () => this.#isKey(password, UNKNOWN_USER)]]);
    for (const other of others) this.#add(work, password, other, false);
    const own = hash === null ? null : this.#add(work, password, hash, true);
    const results = await Promise.all([...work].map(async ([cost, compare]) => [cost, await compare()] as const));
    return results.some(([cost, right]) => cost === own && right);
  }

  isForeign(hash: string): boolean {
    return isBcrypt(hash);
  }

  /** Adds the comparison with a hash to the work, once for each kind of hash. Null when it is not a hash. */
  #add(work: Map<string, () => Promise<boolean>>, password: string, hash: string, replace: boolean): string | null {
    const parsed = parse(hash);
    if (!parsed && !isBcrypt(hash)) return null;
    const cost = parsed ? costOf(parsed) : hash.slice(4, 6);
    const compare = parsed ? () => this.#isKey(password, parsed) : () => this.#bcrypt.compare(password, hash);
    if (replace || !work.has(cost)) work.set(cost, compare);
    return cost;
  }

  async #isKey(password: string, expected: Parsed): Promise<boolean> {
    return timingSafeEqual(await this.#derive(password, expected), expected.key);
  }

  async #derive(password: string, { ln, r, p, salt, key }: Parsed): Promise<Buffer> {
    await this.#turn();
    try {
      const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
      return await this.#scrypt(password.normalize('NFC'), salt, key.length, options);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #turn(): Promise<void> {
    if (this.#running < MAX_PARALLEL) {
      this.#running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Hashes with the same cost take the same time. */
const costOf = ({ ln, r, p, key }: Parsed): string => `${ln} ${r} ${p} ${key.length}`;

/** `derive` is scrypt; tests may count its calls. */
export function scryptPasswords(derive: Derive = inThreadPool): Passwords {
  return new ScryptPasswords(derive);
}

/** Whether a text is a supported password hash. */
export const isPasswordHash = (text: string): boolean => parse(text) !== null;

/** Whether a text is a supported bcrypt hash. */
export const isBcrypt = (text: string): boolean => BCRYPT.test(text);

/** Null for another kind of string, or for parameters that would exhaust the machine. */
function parse(hash: string): Parsed | null {
  const [, ln, r, p, salt = '', key = ''] = PHC.exec(hash) ?? [];
  const parsed = {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
  const sane = parsed.ln >= 10 && parsed.ln <= 18 && parsed.r >= 1 && parsed.r <= 16 && parsed.p >= 1 && parsed.p <= 8;
  return sane && parsed.key.length >= 16 ? parsed : null;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
