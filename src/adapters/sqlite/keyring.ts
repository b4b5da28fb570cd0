import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { random } from '../../lib/random.js';
import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { readRegular } from '../data-directory/files.js';
import type { SqliteDatabase } from './database.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: nonce, ciphertext, tag. `context` is authenticated, so a box opens only in the place it was made for. */
export function seal(key: Buffer, plain: Buffer, context: string): Buffer {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the box was made with another key, for another place, or was changed. */
export function open(key: Buffer, box: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context));
  decipher.setAuthTag(box.subarray(box.length - TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, box.length - TAG_BYTES)), decipher.final()]);
}

/**
 * The key that wraps all others, from its file. A file that is missing is made only for an empty log: with events in it
 * a new key would read nothing and hide that the old one was lost.
 */
export function masterKey(file: string, { mayCreate }: { readonly mayCreate: boolean }): Buffer {
  if (!lstatSync(file, { throwIfNoEntry: false })) {
    if (!mayCreate) throw new MessageError(message('storage.keyFileMissing', { file }));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const handle = openSync(file, 'wx', 0o600);
    try {
      writeSync(handle, `${random(KEY_BYTES).toString('hex')}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
  const found = lstatSync(file);
  if (found.isSymbolicLink()) throw new MessageError(message('storage.keyFileLink', { file }));
  if (!found.isFile()) throw new MessageError(message('storage.keyFileNotRegular', { file }));
  if ((found.mode & 0o077) !== 0) throw new MessageError(message('storage.keyFileOpen', { file }));
  const key = Buffer.from(readRegular(file).toString().trim(), 'hex');
  if (key.length !== KEY_BYTES) throw new MessageError(message('storage.keyFileInvalid', { file, bytes: KEY_BYTES }));
  return key;
}

/** A key for another purpose than wrapping, derived from the master key (RFC 5869). */
export function derivedKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `portolan ${purpose}`, KEY_BYTES));
}

interface KeyRow {
  readonly id: string;
  /** Null once it was destroyed. */
  readonly wrapped: Buffer | null;
}

/** The data keys, one for each life of a secret. The one table that may be rewritten: destroying a key is its use. */
export class Keyring {
  readonly #master: Buffer;
  #blinding: Buffer | null = null;
  readonly #now: () => number;
  readonly #find;
  readonly #insert;
  readonly #blank;
  readonly #shred;
  readonly #all;
  /**
   * All wrapped keys: a replay needs each of them, and one statement for each would cost more than the cipher. As text
   * of one byte a character: so many small buffers take several times the memory.
   */
  readonly #wrapped = new Map<string, string | null>();
  readonly #opened = new LRUCache<string, Buffer>({ max: 1024 });
  /** Keys that events have destroyed: whatever the table holds for them is neither used nor made again. */
  readonly #destroyed = new Set<string>();

  constructor(db: SqliteDatabase, master: Buffer, now: () => number) {
    this.#master = master;
    this.#now = now;
    this.#find = db.prepare<[string], KeyRow>('SELECT id, wrapped FROM keys WHERE id = ?');
    this.#insert = db.prepare('INSERT INTO keys (id, wrapped, created) VALUES (?, ?, ?)');
    this.#blank = db.prepare('UPDATE keys SET wrapped = zeroblob(length(wrapped)) WHERE id = ?');
    this.#shred = db.prepare('UPDATE keys SET wrapped = NULL, shredded = ? WHERE id = ?');
    this.#all = db.prepare<[], KeyRow>('SELECT id, wrapped FROM keys');
    this.#load();
  }

  /** Learns which keys events have destroyed. */
  heed(destroyed: Iterable<string>): void {
    for (const id of destroyed) {
      this.#destroyed.add(id);
      this.#opened.delete(id);
    }
  }

  /** Destroyed keys that are in the table again because they were put back. */
  returned(): readonly string[] {
    return [...this.#destroyed].filter((id) => typeof this.#wrapped.get(id) === 'string');
  }

  /** A digest of `text` that cannot be guessed: HMAC-SHA-256 under a key of this log, in hex. */
  blind(text: string): string {
    this.#blinding ??= derivedKey(this.#master, 'ids');
    return createHmac('sha256', this.#blinding).update(text).digest('hex');
  }

  /** The key to seal with; it is made at first use. Only inside the transaction that stores what it seals. */
  forSealing(id: string): Buffer {
    const known = this.#lookup(id);
    if (known === null) throw new Error(`Key ${id} was destroyed and cannot seal again`);
    if (known) return known;
    const key = random(KEY_BYTES);
    const wrapped = seal(this.#master, key, id);
    this.#insert.run(id, wrapped, this.#now());
    this.#wrapped.set(id, wrapped.toString('latin1'));
    this.#opened.set(id, key);
    return key;
  }

  /** The key to read with, or null when it was destroyed on purpose. A key that is just not there is a fault. */
  forOpening(id: string): Buffer | null {
    const found = this.#lookup(id);
    const known = found === undefined ? this.#lookUpAgain(id) : found;
    if (known === undefined) throw new MessageError(message('storage.keyLost', { id }));
    return known;
  }

  shred(id: string): void {
    this.#blank.run(id);
    this.#shred.run(this.#now(), id);
    this.#wrapped.set(id, null);
    this.heed([id]);
  }

  /**
   * What is wrong with the keys, or null: one that nothing destroyed and that is gone, or one that does not open. The chain
   * does not cover them. `destroyed`: the keys that events say are; one of them that is there again is a fault too.
   */
  problem(destroyed: ReadonlySet<string>): Text | null {
    this.heed(destroyed);
    const [returned] = this.returned();
    if (returned !== undefined) return message('storage.keyReturned', { id: returned });
    for (const [id, wrapped] of this.#wrapped) {
      if (wrapped !== null && !this.#opens(id, wrapped)) return message('storage.keyUnknown', { id });
      if (wrapped === null && !destroyed.has(id)) return message('storage.keyGone', { id });
    }
    return null;
  }

  #opens(id: string, wrapped: string): boolean {
    try {
      return open(this.#master, Buffer.from(wrapped, 'latin1'), id).length === KEY_BYTES;
    } catch {
      return false;
    }
  }

  /** Back to what is stored, after a transaction that was not kept. */
  reload(destroyed: ReadonlySet<string>): void {
    this.#opened.clear();
    this.#destroyed.clear();
    this.heed(destroyed);
    this.#load();
  }

  #load(): void {
    this.#wrapped.clear();
    for (const { id, wrapped } of this.#all.iterate()) this.#wrapped.set(id, wrapped && wrapped.toString('latin1'));
  }

  /** The key, null when it was destroyed, undefined when it is not known. */
  #lookup(id: string): Buffer | null | undefined {
    if (this.#destroyed.has(id)) return null;
    const opened = this.#opened.get(id);
    if (opened) return opened;
    const wrapped = this.#wrapped.get(id);
    if (wrapped === null || wrapped === undefined) return wrapped;
    const key = open(this.#master, Buffer.from(wrapped, 'latin1'), id);
    this.#opened.set(id, key);
    return key;
  }

  /** A reader beside a running panel meets keys that were made after it had loaded them. */
  #lookUpAgain(id: string): Buffer | null | undefined {
    const row = this.#find.get(id);
    if (!row) return undefined;
    this.#wrapped.set(id, row.wrapped && row.wrapped.toString('latin1'));
    return this.#lookup(id);
  }
}
