import { rmSync } from 'node:fs';
import type {
  CertificateEvents,
  CertificateFiles,
  CertificateStatus,
  CertificateKeeper as Port,
  ServerCertificate,
} from '../../commands/ports/certificates.js';
import { sameJson } from '../../lib/json.js';
import type { Text } from '../../messages/message.js';
import { readSpare, replaceFile } from '../data-directory/files.js';
import { dateProblem, pairOf, readPair } from './pair.js';

interface KeeperParts extends CertificateEvents {
  /** The file with a copy of the last valid pair. One file for both, so that they always belong together. */
  readonly copy: string;
  readonly now: () => number;
  readonly warn: (message: string, fields: object) => void;
}

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
const INTERVAL_MS = 2000;

/**
 * The certificate of one server. Reads it from the configured files, keeps a copy of the last valid one, and polls the
 * content of the files, because renewal tools overwrite, rename or symlink them.
 */
export class CertificateKeeper implements Port {
  readonly #parts: KeeperParts;
  #files: CertificateFiles | null = null;
  #pair: ServerCertificate | null = null;
  /** The problem of the last read, and the last one reported. A problem counts when it is seen twice: a renewal may be half done. */
  #seen: Text | null = null;
  #reported: Text | null = null;
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
   * The best pair for a server with these files: a valid pair of the files, else the one in use, else the last valid one,
   * else the pair of the files although it is expired. Changes nothing.
   */
  async look(files: CertificateFiles): Promise<CertificateStatus> {
    const now = this.#parts.now();
    const { pair, problem } = await readPair(files.certFile, files.keyFile, now);
    if (problem === null) return { pair, problem };
    const known = [this.#pair, this.#copied()].filter((one) => one !== null);
    const valid = known.find((one) => dateProblem(one, now) === null);
    return { pair: valid ?? pair ?? known[0] ?? null, problem };
  }

  /** Follows these files and uses this pair from now on. Null = no TLS; the copy of the key is deleted. */
  use(files: CertificateFiles | null, { pair, problem }: CertificateStatus = { pair: null, problem: null }): void {
    this.#files = files;
    this.#pair = pair;
    this.#seen = problem;
    this.#reported = problem;
    if (files === null) rmSync(this.#parts.copy, { force: true });
    else if (pair !== null && problem === null) this.#keep(pair);
    if (problem !== null) this.#parts.refused(problem);
    this.#remind();
  }

  /** Begins to follow the files. */
  start(everyMs: number = INTERVAL_MS): void {
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
    // Other files may have been configured meanwhile.
    if (files !== this.#files) return;
    this.#judge({ pair, problem });
    this.#remind();
  }

  #judge({ pair, problem }: CertificateStatus): void {
    const { before, reported, inUse } = { before: this.#seen, reported: this.#reported, inUse: this.#pair };
    this.#seen = problem;
    if (pair !== null && problem === null) {
      this.#reported = null;
      if (reported === null && inUse !== null && sameBytes(inUse, pair)) return;
      this.#pair = pair;
      this.#keep(pair);
      this.#parts.loaded(pair);
    } else if (problem !== null && sameJson(problem, before) && !sameJson(problem, reported)) {
      this.#reported = problem;
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

/** Compares the whole chain: a renewal may replace only the chain. */
function sameBytes(one: ServerCertificate, other: ServerCertificate): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key);
}
