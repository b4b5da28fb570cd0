import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { LogHead } from '../../events/log/log.js';
import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { flush, NotRegularError, readRegular, replaceFile, replaceFileAsync } from './files.js';

const Anchored = z.strictObject({ generation: z.string(), position: z.int().nonnegative(), hash: z.string() });
/** The head of a log as the file records it. */
export type Anchored = z.infer<typeof Anchored>;

/** The result of comparing the anchor with the log at a start. */
export type AnchorFinding =
  | { readonly kind: 'sound' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'lost'; readonly expected: number; readonly found: number }
  | { readonly kind: 'changed'; readonly position: number }
  | { readonly kind: 'swapped' };

/** The part of the log that the anchor reads. */
interface AnchoredLog {
  readonly generation: string;
  head(): LogHead;
  hashAt(position: number): string | null;
}

/** Delay from an append to writing the head beside the database, in ms. A burst of appends is one write. */
const DELAY_MS = 200;

/** Reads an anchor file. Null when there is none. Throws `MessageError` for a file that is not an anchor. */
export function readAnchor(file: string): Anchored | null {
  let text: string;
  try {
    text = readRegular(file).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (!(error instanceof NotRegularError)) throw error;
    throw new MessageError(message('storage.anchorNotRegular', { file }), { cause: error });
  }
  try {
    return Anchored.parse(JSON.parse(text));
  } catch (cause) {
    throw new MessageError(message('storage.anchorInvalid', { file }), { cause });
  }
}

/** Compares an anchor with a log. An empty log needs no anchor. */
export function compareAnchor(anchored: Anchored | null, log: AnchoredLog): AnchorFinding {
  const { position } = log.head();
  if (!anchored) return position === 0 ? { kind: 'sound' } : { kind: 'missing' };
  if (anchored.generation !== log.generation) return { kind: 'swapped' };
  if (position < anchored.position) return { kind: 'lost', expected: anchored.position, found: position };
  if (anchored.position > 0 && log.hashAt(anchored.position) !== anchored.hash)
    return { kind: 'changed', position: anchored.position };
  return { kind: 'sound' };
}

/**
 * The head of the log, kept in a file outside the database. SQLite silently drops a torn tail of its write-ahead log, and
 * a database file can be swapped for an older one; the anchor detects both.
 */
export class Anchor {
  readonly #file: string;
  readonly #log: AnchoredLog;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #written = -1;

  constructor(file: string, log: AnchoredLog, failed: (error: unknown) => void) {
    this.#file = file;
    this.#log = log;
    this.#failed = failed;
  }

  /** Compares without changing anything. */
  check(): AnchorFinding {
    return compareAnchor(readAnchor(this.#file), this.#log);
  }

  /** Writes the head soon; called after each append. */
  moved(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, DELAY_MS).unref();
  }

  /** Writes the head now, for a shutdown and for an accepted loss. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    this.begin();
  }

  /** Writes the head of an empty log. */
  begin(): void {
    replaceFile(this.#file, this.#content());
  }

  /** Deletes the file durably: until it is written again, a start reports that the anchor is missing. */
  remove(): void {
    rmSync(this.#file, { force: true });
    flush(dirname(this.#file));
  }

  #write(): void {
    if (this.#writing) return this.moved();
    const { position } = this.#log.head();
    if (position === this.#written) return;
    this.#writing = replaceFileAsync(this.#file, this.#content())
      .then(() => {
        this.#written = position;
      })
      .catch(this.#failed)
      .finally(() => {
        this.#writing = undefined;
      });
  }

  #content(): string {
    const anchored: Anchored = { generation: this.#log.generation, ...this.#log.head() };
    return `${JSON.stringify(anchored)}\n`;
  }
}

/** The text of a finding, with what to do about it. Null when there is no problem. */
export function anchorProblem(finding: AnchorFinding): Text | null {
  switch (finding.kind) {
    case 'sound':
      return null;
    case 'missing':
      return message('storage.anchorMissing');
    case 'lost': {
      const { found, expected } = finding;
      return message('storage.anchorLost', { found, expected, first: found + 1 });
    }
    case 'changed':
      return message('storage.anchorChanged', { position: finding.position });
    case 'swapped':
      return message('storage.anchorSwapped');
    default:
      return finding satisfies never;
  }
}
