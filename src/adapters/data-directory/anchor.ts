import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { LogHead } from '../../events/log/log.js';
import { flush, NotPlainError, readPlain, replaceFile, replaceFileLater } from './files.js';

const Anchored = z.strictObject({ generation: z.string(), position: z.int().nonnegative(), hash: z.string() });
/** The head of a log as the file has it. */
export type Anchored = z.infer<typeof Anchored>;

/** What the anchor and the log say of each other at a start. */
export type AnchorFinding =
  | { readonly kind: 'sound' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'lost'; readonly expected: number; readonly found: number }
  | { readonly kind: 'changed'; readonly position: number }
  | { readonly kind: 'swapped' };

/** The log as far as the anchor looks at it. */
interface AnchoredLog {
  readonly generation: string;
  head(): LogHead;
  hashAt(position: number): string | null;
}

/** How long after an append the head is written beside the database, in ms. A burst is one write. */
const DELAY_MS = 200;

/** What a file says, or null where there is none. Throws a sentence for a file that is no anchor. */
export function readAnchor(file: string): Anchored | null {
  let text: string;
  try {
    text = readPlain(file).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (!(error instanceof NotPlainError)) throw error;
    throw new Error(`${error.message}: ${UNREADABLE}`, { cause: error });
  }
  try {
    return Anchored.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} is not an anchor: ${UNREADABLE}`, { cause });
  }
}

const UNREADABLE = 'put it back from a backup, or remove it and accept the log as it is: portolan doctor --accept-loss';

/** What `anchored` says of a log. An empty log needs no anchor. */
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
 * The head of the log, kept in a file outside the database: SQLite drops a torn tail of its write-ahead log without a
 * word, and a database file can be swapped for an older one; the anchor notices both.
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

  /** Takes the file away, durably: until the next writing a start says that the anchor is missing. */
  remove(): void {
    rmSync(this.#file, { force: true });
    flush(dirname(this.#file));
  }

  #write(): void {
    if (this.#writing) return this.moved();
    const { position } = this.#log.head();
    if (position === this.#written) return;
    this.#writing = replaceFileLater(this.#file, this.#content())
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

/** A finding in words, with what to do; null when all is well. */
export function anchorComplaint(finding: AnchorFinding): string | null {
  switch (finding.kind) {
    case 'sound':
      return null;
    case 'missing':
      return 'head.json is missing: nothing shows whether the log still has its last events. Put it back, restore a backup, or accept the log as it is: portolan doctor --accept-loss';
    case 'lost':
      return (
        `the log ends at position ${finding.found}, but position ${finding.expected} was written: ` +
        `the events from ${finding.found + 1} on are missing. Restore a backup, or go on without them: portolan doctor --accept-loss`
      );
    case 'changed':
      return (
        `the event at position ${finding.position} is not the one that was written there. ` +
        'Run portolan events verify to find the first bad position, then restore a backup'
      );
    case 'swapped':
      return 'events.db belongs to another log than head.json: one of them was put here by mistake. Put the right pair back';
    default:
      return finding satisfies never;
  }
}
