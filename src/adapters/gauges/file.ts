import { lstatSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { isObject } from '../../lib/json.js';
import { replaceFileAsync } from '../data-directory/files.js';
import { CAPACITY, type Rings } from './rings.js';

const MAGIC = Buffer.from('portolan gauges 1\n');
/** Length and checksum before each frame. */
const HEADER_BYTES = 8;
/** Maximum size of a valid file, in bytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How much a file may grow beyond its minimum before it is rewritten, in bytes. */
const SPARE_BYTES = 1024 * 1024;
const SAVE_MS = 60_000;
const MAX_SERIES = 4000;
/** Slots per frame: more would block the event loop for too long. */
const AT_ONCE = 500;

type Warn = (message: string, fields?: object) => void;

/**
 * Keeps rings across restarts, in a file of frames. Each frame has the measurements of a minute and is appended; from time
 * to time the file is rewritten. A torn or changed frame ends the reading, and the frames before it count.
 */
export class GaugeFile {
  readonly #file: string;
  readonly #rings: Rings;
  /** The newest slot in the file. */
  #saved = -1;
  #bytes = 0;
  #whole = 0;
  #writing = Promise.resolve();

  readonly #what: string;
  readonly #warn: Warn;
  #timer: NodeJS.Timeout | undefined;
  #warned = false;

  /** `what`: the name of the content in warnings. */
  constructor(file: string, rings: Rings, what: string, warn: Warn) {
    this.#file = file;
    this.#rings = rings;
    this.#what = what;
    this.#warn = warn;
  }

  /** Loads the measurements of the previous process up to `now` (a slot), and saves once a minute. */
  start(now: number, known: (name: string) => boolean): void {
    try {
      if (!this.#load(now, known)) this.#warn(`${this.#what} start empty: their file was not written by this panel`);
    } catch (error) {
      this.#warn(`${this.#what} cannot be read`, { error: String(error) });
    }
    this.#timer = setInterval(() => void this.#saveOrWarn(this.#rings.newest - 1), SAVE_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saveOrWarn(this.#rings.newest);
  }

  /** Returns false when nothing in the file is usable. */
  #load(now: number, known: (name: string) => boolean): boolean {
    const stat = lstatSync(this.#file, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return false;
    const content = readFileSync(this.#file);
    if (!content.subarray(0, MAGIC.length).equals(MAGIC)) return false;
    let at = MAGIC.length;
    for (let body = frameAt(content, at); body !== null; body = frameAt(content, at)) {
      if (!readFrame(body, this.#rings, now, known)) return false;
      at += HEADER_BYTES + body.length;
    }
    return at > MAGIC.length;
  }

  /** Appends the new slots up to a slot. Calls are serialized. A failed write is retried with the next call. */
  #saveOrWarn(upTo: number): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#save(upTo))
      .then(
        () => {
          this.#warned = false;
        },
        (error: unknown) => {
          this.#bytes = 0;
          // Warns once, not every minute.
          if (!this.#warned) this.#warn(`${this.#what} could not be written`, { error: String(error) });
          this.#warned = true;
        },
      );
    return this.#writing;
  }

  async #save(upTo: number): Promise<void> {
    const rings = this.#rings;
    // After the clock was set back, the file contains slots that were dropped.
    const rewrite = this.#bytes === 0 || this.#bytes > 2 * this.#whole + SPARE_BYTES || rings.newest < this.#saved;
    const slots = rings.slots(rewrite ? -1 : this.#saved).filter((slot) => slot <= upTo);
    if (slots.length === 0) return;
    const frames: Buffer[] = [];
    for (let from = 0; from < slots.length; from += AT_ONCE) {
      if (from > 0) await breathe();
      frames.push(frameOf(rings, slots.slice(from, from + AT_ONCE)));
    }
    const content = Buffer.concat(frames);
    if (rewrite) {
      await replaceFileAsync(this.#file, Buffer.concat([MAGIC, content]));
      this.#whole = content.length;
      this.#bytes = content.length;
    } else {
      await appendFile(this.#file, content, { mode: 0o600 });
      this.#bytes += content.length;
    }
    this.#saved = slots.at(-1) ?? this.#saved;
  }
}

/** The body of the frame at an offset, or null when there is no intact one. */
function frameAt(content: Buffer, at: number): Buffer | null {
  if (at + HEADER_BYTES > content.length) return null;
  const body = content.subarray(at + HEADER_BYTES, at + HEADER_BYTES + content.readUInt32LE(at));
  return body.length === content.readUInt32LE(at) && crc32(body) === content.readUInt32LE(at + 4) ? body : null;
}

/** A line of JSON with the names, then for each slot its number and one value for each name, as doubles. */
function frameOf(rings: Rings, slots: readonly number[]): Buffer {
  const { names } = rings;
  const line = Buffer.from(`${JSON.stringify({ names })}\n`);
  const body = Buffer.alloc(line.length + slots.length * (1 + names.length) * 8);
  let at = line.copy(body);
  for (const slot of slots) {
    at = body.writeDoubleLE(slot, at);
    for (const name of names) at = body.writeDoubleLE(rings.value(name, slot), at);
  }
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32LE(body.length, 0);
  head.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([head, body]);
}

function readFrame(body: Buffer, rings: Rings, now: number, known: (name: string) => boolean): boolean {
  const end = body.indexOf(10);
  const names = namesIn(body.toString('utf8', 0, Math.max(end, 0)));
  if (names === null) return false;
  const width = (1 + names.length) * 8;
  for (let at = end + 1; at + width <= body.length; at += width) {
    const slot = body.readDoubleLE(at);
    if (slot > now || slot <= now - CAPACITY) continue;
    rings.begin(slot);
    const values = names.map((name, index): [string, number] => [name, body.readDoubleLE(at + 8 + index * 8)]);
    rings.add(
      slot,
      values.filter(([name]) => known(name)),
    );
  }
  return true;
}

function namesIn(line: string): readonly string[] | null {
  try {
    const header: unknown = JSON.parse(line);
    const names = isObject(header) ? header['names'] : null;
    const valid = Array.isArray(names) && names.length <= MAX_SERIES && names.every((name) => typeof name === 'string');
    return valid ? (names as string[]) : null;
  } catch {
    return null;
  }
}
