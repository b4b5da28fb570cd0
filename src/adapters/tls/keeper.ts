import { rmSync } from 'node:fs';
import { readSpare, replaceFile } from '../data-directory/files.js';
import { dateFlaw, type Pair, pairOf, type Reading, readPair } from './pair.js';

/** Where a server's certificate and key are, as the settings say. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** How a server stands with its certificate. */
export interface Standing {
  /** What it serves with; null = with nothing. */
  readonly pair: Pair | null;
  /** Why that is not what the files hold, or why it should not be; null = all is well. */
  readonly flaw: string | null;
}

interface KeeperParts {
  /** Where the last good pair is kept, key and chain in one file so that they cannot come apart. */
  readonly copy: string;
  readonly now: () => number;
  /** The files have another pair and it is a good one, or they are good again. */
  readonly loaded: (pair: Pair) => void;
  /** The files hold what cannot be used; what was in use stays. */
  readonly refused: (why: string) => void;
  /** Less than two weeks are left. Called at most once a day. */
  readonly expiring: (pair: Pair) => void;
  readonly warn: (message: string, fields: object) => void;
}

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
const EVERY_MS = 2000;

/**
 * The certificate of one server: reads it from the files of the settings, keeps a copy of the last good one, and follows
 * the files, by what is in them, because tools renew in every way there is: over the file, by rename, by symlink.
 */
export class CertificateKeeper {
  readonly #parts: KeeperParts;
  #files: PairFiles | null = null;
  #pair: Pair | null = null;
  /** Flaw of the last look, and the one that was told. A renewal is seen half done now and then: only a second look counts. */
  #seen: string | null = null;
  #told: string | null = null;
  #remindedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  get pair(): Pair | null {
    return this.#pair;
  }

  /**
   * The best pair for a server that shall use these files: theirs, else the one in use, else the last good one, else
   * theirs although it is out of date. Changes nothing.
   */
  async look(files: PairFiles): Promise<Standing> {
    const now = this.#parts.now();
    const { pair, flaw } = await readPair(files.certFile, files.keyFile, now);
    if (flaw === null) return { pair, flaw };
    const known = [this.#pair, this.#copied()].filter((one) => one !== null);
    const valid = known.find((one) => dateFlaw(one, now) === null);
    return { pair: valid ?? pair ?? known[0] ?? null, flaw };
  }

  /** From now on these files count, and this pair is in use. Null = no TLS: then no key stays behind. */
  use(files: PairFiles | null, { pair, flaw }: Standing = { pair: null, flaw: null }): void {
    this.#files = files;
    this.#pair = pair;
    this.#seen = flaw;
    this.#told = flaw;
    if (files === null) rmSync(this.#parts.copy, { force: true });
    else if (pair !== null && flaw === null) this.#keep(pair);
    if (flaw !== null) this.#parts.refused(flaw);
    this.#remind();
  }

  /** Begins to follow the files. */
  start(everyMs: number = EVERY_MS): void {
    this.#timer = setInterval(() => void this.#follow(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#files = null;
  }

  async #follow(): Promise<void> {
    const files = this.#files;
    if (files === null || this.#looking) return;
    this.#looking = true;
    const { pair, flaw } = await readPair(files.certFile, files.keyFile, this.#parts.now());
    this.#looking = false;
    // Another pair of files may have taken the place of these meanwhile.
    if (files !== this.#files) return;
    this.#judge({ pair, flaw });
    this.#remind();
  }

  #judge({ pair, flaw }: Reading): void {
    const { before, told, inUse } = { before: this.#seen, told: this.#told, inUse: this.#pair };
    this.#seen = flaw;
    if (pair !== null && flaw === null) {
      this.#told = null;
      if (told === null && inUse !== null && sameBytes(inUse, pair)) return;
      this.#pair = pair;
      this.#keep(pair);
      this.#parts.loaded(pair);
    } else if (flaw !== null && flaw === before && flaw !== told) {
      this.#told = flaw;
      this.#parts.refused(flaw);
    }
  }

  #remind(): void {
    const now = this.#parts.now();
    const pair = this.#pair;
    if (pair === null || pair.notAfter - now > SOON_MS || now - this.#remindedAt < DAY_MS) return;
    this.#remindedAt = now;
    this.#parts.expiring(pair);
  }

  #keep({ cert, key }: Pair): void {
    try {
      replaceFile(this.#parts.copy, Buffer.concat([key, Buffer.from('\n'), cert]));
    } catch (error) {
      this.#parts.warn('the copy of a certificate could not be written', { error: String(error) });
    }
  }

  #copied(): Pair | null {
    try {
      const both = readSpare(this.#parts.copy);
      return both && pairOf(both, both, this.#parts.now()).pair;
    } catch {
      return null;
    }
  }
}

/** The leaf may be the same while its chain is not. */
function sameBytes(one: Pair, other: Pair): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key);
}
