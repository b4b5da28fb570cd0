import { rmSync } from 'node:fs';
import type {
  CertificateEvents,
  CertificateFiles,
  CertificateStatus,
  CertificateKeeper as Port,
  ServerCertificate,
} from '../../commands/ports/certificates.js';
import { readSpare, replaceFile } from '../data-directory/files.js';
import { dateProblem, pairOf, readPair } from './pair.js';

interface KeeperParts extends CertificateEvents {
  /** Where the last good pair is kept, key and chain in one file so that they cannot come apart. */
  readonly copy: string;
  readonly now: () => number;
  readonly warn: (message: string, fields: object) => void;
}

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
const EVERY_MS = 2000;

/**
 * The certificate of one server: reads it from the files of the settings, keeps a copy of the last good one, and follows
 * the files, by what is in them, because tools renew in every way there is: over the file, by rename, by symlink.
 */
export class CertificateKeeper implements Port {
  readonly #parts: KeeperParts;
  #files: CertificateFiles | null = null;
  #pair: ServerCertificate | null = null;
  /** The problem of the last look, and the last one reported. A renewal may be half done: a problem counts when it is seen twice. */
  #seen: string | null = null;
  #told: string | null = null;
  #remindedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  get pair(): ServerCertificate | null {
    return this.#pair;
  }

  /**
   * The best pair for a server that shall use these files: theirs, else the one in use, else the last good one, else
   * theirs although it is out of date. Changes nothing.
   */
  async look(files: CertificateFiles): Promise<CertificateStatus> {
    const now = this.#parts.now();
    const { pair, problem } = await readPair(files.certFile, files.keyFile, now);
    if (problem === null) return { pair, problem };
    const known = [this.#pair, this.#copied()].filter((one) => one !== null);
    const valid = known.find((one) => dateProblem(one, now) === null);
    return { pair: valid ?? pair ?? known[0] ?? null, problem };
  }

  /** From now on these files count, and this pair is in use. Null = no TLS: then no key stays behind. */
  use(files: CertificateFiles | null, { pair, problem }: CertificateStatus = { pair: null, problem: null }): void {
    this.#files = files;
    this.#pair = pair;
    this.#seen = problem;
    this.#told = problem;
    if (files === null) rmSync(this.#parts.copy, { force: true });
    else if (pair !== null && problem === null) this.#keep(pair);
    if (problem !== null) this.#parts.refused(problem);
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
    const { pair, problem } = await readPair(files.certFile, files.keyFile, this.#parts.now());
    this.#looking = false;
    // Another pair of files may have taken the place of these meanwhile.
    if (files !== this.#files) return;
    this.#judge({ pair, problem });
    this.#remind();
  }

  #judge({ pair, problem }: CertificateStatus): void {
    const { before, told, inUse } = { before: this.#seen, told: this.#told, inUse: this.#pair };
    this.#seen = problem;
    if (pair !== null && problem === null) {
      this.#told = null;
      if (told === null && inUse !== null && sameBytes(inUse, pair)) return;
      this.#pair = pair;
      this.#keep(pair);
      this.#parts.loaded(pair);
    } else if (problem !== null && problem === before && problem !== told) {
      this.#told = problem;
      this.#parts.refused(problem);
    }
  }

  #remind(): void {
    const now = this.#parts.now();
    const pair = this.#pair;
    if (pair === null || pair.notAfter - now > SOON_MS || now - this.#remindedAt < DAY_MS) return;
    this.#remindedAt = now;
    this.#parts.expiring(pair);
  }

  #keep({ cert, key }: ServerCertificate): void {
    try {
      replaceFile(this.#parts.copy, Buffer.concat([key, Buffer.from('\n'), cert]));
    } catch (error) {
      this.#parts.warn('the copy of a certificate could not be written', { error: String(error) });
    }
  }

  #copied(): ServerCertificate | null {
    try {
      const both = readSpare(this.#parts.copy);
      return both && pairOf(both, both, this.#parts.now()).pair;
    } catch {
      return null;
    }
  }
}

/** The leaf may be the same while its chain is not. */
function sameBytes(one: ServerCertificate, other: ServerCertificate): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key);
}
