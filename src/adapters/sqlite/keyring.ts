import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { lruOf } from '../../lib/lru.js';
import { random } from '../../lib/random.js';
import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { readRegular } from '../data-directory/files.js';
import type { SqliteDatabase } from './database.js';
import { type ReducedBoxes, reducedBoxes } from './mirror/reduced-boxes.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: nonce, ciphertext, tag. `context` is authenticated: opening needs the same one. */
export function seal(key: Buffer, plain: Buffer, context: string): Buffer {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the key or the context is another one, or when the box was modified. */
export function open(key: Buffer, box: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context));
  decipher.setAuthTag(box.subarray(box.length - TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, box.length - TAG_BYTES)), decipher.final()]);
}

/**
 * Reads the key that wraps all others. A missing file is created only for an empty log: with events in the log, a new key
 * could decrypt nothing and would hide the loss of the old one. Throws `MessageError`.
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

/** Derives a key for another purpose from the master key (HKDF, RFC 5869). */
export function derivedKey(master: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `portolan ${purpose}`, KEY_BYTES));
}

/** Whether keys are stored and the master key decrypts none of them: it is that of another log. */
export function isOfOtherLog(master: Buffer, db: SqliteDatabase): boolean {
  const rows = db.prepare<[], { id: string; wrapped: Buffer }>(
    'SELECT id, wrapped FROM keys WHERE wrapped IS NOT NULL',
  );
  let isEmpty = true;
  for (const { id, wrapped } of rows.iterate()) {
    if (opens(master, id, wrapped)) return false;
    isEmpty = false;
  }
  return !isEmpty;
}

function opens(master: Buffer, id: string, wrapped: Buffer): boolean {
  try {
    return open(master, wrapped, id).length === KEY_BYTES;
  } catch {
    return false;
  }
}

interface KeyRow {
  readonly id: string;
  /** Null after the key was destroyed. */
  readonly wrapped: Buffer | null;
}

/** The data keys, which encrypt the sealed fields. Their table is the only one with updates: a key can be destroyed. */
export class Keyring {
  readonly #master: Buffer;
  #blinding: Buffer | null = null;
  readonly #now: () => number;
  readonly #find;
  readonly #insert;
  readonly #forget;
  readonly #overwrite;
  readonly #destroy;
  readonly #all;
  /**
   * All wrapped keys, because a replay needs each of them and a query for each would be slow. They are Latin-1 strings: so
   * many small buffers need several times the memory.
   */
  readonly #wrapped = new Map<string, string | null>();
  readonly #opened = lruOf<string, Buffer>(1024);
  /** Ids of keys that events have destroyed. They are never used or created again, even if the table contains them. */
  readonly #destroyed = new Set<string>();
  /** On a subscription mirror: boxes with less in them than the stored ones. Null elsewhere. */
  readonly reduced: ReducedBoxes | null;
  /** Called with the id of each key that is created here, also if its transaction is rolled back. */
  created: (id: string) => void = () => undefined;
  /** What reverts each change since `begin`, in order. */
  #undo: (() => void)[] = [];

  constructor(db: SqliteDatabase, master: Buffer, now: () => number) {
    this.#master = master;
    this.#now = now;
    this.#find = db.prepare<[string], KeyRow>('SELECT id, wrapped FROM keys WHERE id = ?');
    this.#insert = db.prepare('INSERT INTO keys (id, wrapped, created) VALUES (?, ?, ?)');
    this.#forget = db.prepare('DELETE FROM keys WHERE id = ?');
    this.#overwrite = db.prepare('UPDATE keys SET wrapped = zeroblob(length(wrapped)) WHERE id = ?');
    this.#destroy = db.prepare('UPDATE keys SET wrapped = NULL, shredded = ? WHERE id = ?');
    this.#all = db.prepare<[], KeyRow>('SELECT id, wrapped FROM keys');
    this.reduced = reducedBoxes(db);
    this.#load();
  }

  /** Marks keys as destroyed by events. */
  markDestroyed(destroyed: Iterable<string>): void {
    for (const id of destroyed) {
      this.#destroyed.add(id);
      this.#opened.delete(id);
    }
  }

  /** Destroyed keys that were restored into the table. */
  restoredKeys(): readonly string[] {
    return [...this.#destroyed].filter((id) => typeof this.#wrapped.get(id) === 'string');
  }

  /** The keyed digest of `text`: HMAC-SHA-256 with a key of this log, in hex. */
  blind(text: string): string {
    this.#blinding ??= derivedKey(this.#master, 'ids');
    return createHmac('sha256', this.#blinding).update(text).digest('hex');
  }

  /** The key to seal with, created at first use. To be called inside the transaction that stores the sealed value. */
  forSealing(id: string): Buffer {
    const known = this.#lookup(id);
    if (known === null) throw new Error(`Key ${id} was destroyed and cannot seal again`);
    if (known) return known;
    const key = random(KEY_BYTES);
    const wrapped = seal(this.#master, key, id);
    this.#insert.run(id, wrapped, this.#now());
    this.#undo.push(() => {
      this.#wrapped.delete(id);
      this.#opened.delete(id);
    });
    this.#wrapped.set(id, wrapped.toString('latin1'));
    this.#opened.set(id, key);
    this.created(id);
    return key;
  }

  /** The key as it is stored, encrypted with the master key; null when it was destroyed, undefined when it is unknown. */
  wrapped(id: string): Buffer | null | undefined {
    if (this.#lookup(id) === undefined && this.#lookUpNew(id) === undefined) return undefined;
    const wrapped = this.#wrapped.get(id);
    return typeof wrapped === 'string' ? Buffer.from(wrapped, 'latin1') : null;
  }

  /**
   * Stores a key that another member of the cluster has created; null = it was destroyed. It replaces one of the same id that
   * no event of this log uses now. To be called inside a transaction. Throws `MessageError` when it was encrypted with
   * another master key.
   */
  adopt(id: string, wrapped: Buffer | null): void {
    if (wrapped !== null && !this.#opens(id, wrapped.toString('latin1')))
      throw new MessageError(message('storage.keyUnknown', { id }));
    const known = this.wrapped(id);
    const before = known && known.toString('latin1');
    this.#forget.run(id);
    this.#insert.run(id, wrapped, this.#now());
    this.#undo.push(() => this.#keep(id, before));
    this.#keep(id, wrapped && wrapped.toString('latin1'));
  }

  #keep(id: string, wrapped: string | null | undefined): void {
    this.#opened.delete(id);
    if (wrapped === undefined) this.#wrapped.delete(id);
    else this.#wrapped.set(id, wrapped);
  }

  #replaced(id: string): Buffer | null {
    const found = this.#find.get(id)?.wrapped?.toString('latin1');
    if (found === undefined || found === this.#wrapped.get(id)) return null;
    this.#keep(id, found);
    return this.forOpening(id);
  }

  /**
   * The key to open with, or null when an event destroyed it. Throws `MessageError` for a missing key. `reread`: the key that
   * another process has stored under the id in place of the known one; null = there is none.
   */
  forOpening(id: string, { reread = false } = {}): Buffer | null {
    if (reread) return this.#replaced(id);
    const found = this.#lookup(id);
    const known = found === undefined ? this.#lookUpNew(id) : found;
    if (known === undefined) throw new MessageError(message('storage.keyLost', { id }));
    return known;
  }

  /** Overwrites and deletes a key. To be called inside a transaction. */
  destroy(id: string): void {
    this.#overwrite.run(id);
    this.#destroy.run(this.#now(), id);
    const before = { wrapped: this.#wrapped.get(id), destroyed: this.#destroyed.has(id) };
    this.#undo.push(() => {
      if (before.wrapped === undefined) this.#wrapped.delete(id);
      else this.#wrapped.set(id, before.wrapped);
      if (!before.destroyed) this.#destroyed.delete(id);
    });
    this.#wrapped.set(id, null);
    this.markDestroyed([id]);
  }

  /**
   * The first problem with the keys, which the chain does not cover, or null: a key is missing although no event destroyed it,
   * cannot be opened, or is in the table although it is in `destroyed`, the ids that events have destroyed.
   */
  problem(destroyed: ReadonlySet<string>): Text | null {
    this.markDestroyed(destroyed);
    const [restored] = this.restoredKeys();
    if (restored !== undefined) return message('storage.keyReturned', { id: restored });
    for (const [id, wrapped] of this.#wrapped) {
      if (wrapped !== null && !this.#opens(id, wrapped)) return message('storage.keyUnknown', { id });
      if (wrapped === null && !destroyed.has(id)) return message('storage.keyGone', { id });
    }
    return null;
  }

  #opens(id: string, wrapped: string): boolean {
    return opens(this.#master, id, Buffer.from(wrapped, 'latin1'));
  }

  /** Called when a transaction begins that may create or destroy keys. The result is to be called after it was rolled back. */
  begin(): () => void {
    this.#undo = [];
    return () => {
      for (const undo of this.#undo.reverse()) undo();
      this.#undo = [];
    };
  }

  #load(): void {
    for (const { id, wrapped } of this.#all.iterate()) this.#wrapped.set(id, wrapped && wrapped.toString('latin1'));
  }

  /** Null when the key was destroyed, undefined when it is unknown. */
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

  /** Looks for a key that another process has created after this one had loaded the table. */
  #lookUpNew(id: string): Buffer | null | undefined {
    const row = this.#find.get(id);
    if (!row) return undefined;
    this.#wrapped.set(id, row.wrapped && row.wrapped.toString('latin1'));
    return this.#lookup(id);
  }
}
