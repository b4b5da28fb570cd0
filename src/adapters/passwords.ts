import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Passwords } from '../commands/ports/passwords.js';
import { BcryptThread } from './bcrypt-thread.js';

/** One of the settings of equal strength that OWASP names; of those the one that leaves room for other work in the caches. */
const LN = 14;
const R = 8;
const P = 5;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Each takes 16 MB and a thread of the pool that files and names are read with too. */
const AT_ONCE = 2;

/** How long a password that was right need not be compared again, in ms. */
const REMEMBERED_MS = 2000;
/** Of this process alone: what is remembered of a password is of no use to anybody else. */
const PEPPER = randomBytes(32);

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** As 3x-ui keeps passwords. A cost beyond 14 takes the machine for more than a second. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

interface Parsed {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** What the password of an unknown user is compared with: as slow as a real one, and equal to nothing. */
const NOBODY: Parsed = { ln: LN, r: R, p: P, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };

/**
 * scrypt by `node:crypto`, two at a time, in PHC strings: `$scrypt$ln=14,r=8,p=5$salt$hash`. Hashes of bcrypt, which came
 * from another panel, are compared with and never made.
 */
class ScryptPasswords implements Passwords {
  readonly #bcrypt = new BcryptThread();
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Comparisons under way and right ones just made: many who log in at once with one password are one of them. */
  readonly #comparing = new Map<string, Promise<boolean>>();

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#derive(password, { ...NOBODY, salt });
    return `$scrypt$ln=${LN},r=${R},p=${P}$${unpadded(salt)}$${unpadded(key)}`;
  }

  verify(password: string, hash: string | null, name?: string): Promise<boolean> {
    if (name === undefined) return this.#compare(password, hash);
    const key = createHmac('sha256', PEPPER)
      .update(JSON.stringify([name, hash, password]))
      .digest('base64');
    const known = this.#comparing.get(key);
    if (known) return known;
    const comparing = this.#compare(password, hash);
    this.#comparing.set(key, comparing);
    const forget = (): void => void this.#comparing.delete(key);
    comparing.then((right) => (right ? setTimeout(forget, REMEMBERED_MS).unref() : forget()), forget);
    return comparing;
  }

  isForeign(hash: string): boolean {
    return isBcrypt(hash);
  }

  async #compare(password: string, hash: string | null): Promise<boolean> {
    if (hash !== null && isBcrypt(hash)) {
      // Beside a comparison with nobody's: the time does not tell who came from another panel.
      const comparing = this.#bcrypt.compare(password, hash);
      const [right] = await Promise.all([comparing, this.#derive(password, NOBODY)]);
      return right;
    }
    const known = hash === null ? null : parse(hash);
    const expected = known ?? NOBODY;
    const key = await this.#derive(password, expected);
    return timingSafeEqual(key, expected.key) && known !== null;
  }

  async #derive(password: string, { ln, r, p, salt, key }: Parsed): Promise<Buffer> {
    await this.#turn();
    try {
      const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
      return await new Promise<Buffer>((resolve, reject) => {
        scrypt(password.normalize('NFC'), salt, key.length, options, (error, derived) =>
          error ? reject(error) : resolve(derived),
        );
      });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #turn(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export function scryptPasswords(): Passwords {
  return new ScryptPasswords();
}

/** Whether it is a hash that passwords can be compared with. */
export const isPasswordHash = (text: string): boolean => parse(text) !== null;

/** Whether it is a hash of bcrypt that passwords can be compared with. */
export const isBcrypt = (text: string): boolean => BCRYPT.test(text);

/** Null for a string of another kind, or with parameters that would take the machine. */
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
