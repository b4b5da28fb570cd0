import { createHash } from 'node:crypto';
import { createWriteStream, openSync, rm } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Request, Response } from 'express';
import multer, { MulterError, type StorageEngine } from 'multer';
import { message } from '../../messages/message.js';
import { Upload } from '../panel/contract/route.js';
import { closeAfter, tooLarge, uncompressed } from './body.js';
import { BodyError, readFields } from './json-body.js';

/** Timeout of an upload in ms: an hour for slow connections. */
const UPLOAD_TIMEOUT_MS = 3_600_000;
/** Maximum concurrent uploads of a server; each may be as large as the limit allows. */
const MAX_UPLOADS = 2;
const BUSY = message('UPLOAD_BUSY');
/** Maximum bytes of a form besides its file. */
const MAX_OVERHEAD_BYTES = 64 * 1024;
const LIMITS = { files: 1, fields: 8, parts: 9, fieldNameSize: 100, fieldSize: 4096, headerPairs: 20 };

/**
 * Receives a multipart form whose field `name` is a file of at most `limit` bytes. It is stored at `place()`, regardless of
 * the sender's file name, and deleted after the answer. Rejects with `BodyError`.
 */
export async function receiveUpload(
  req: Request,
  res: Response,
  { name, limit, place }: { readonly name: string; readonly limit: number; readonly place: () => string },
): Promise<Record<string, unknown>> {
  uncompressed(req);
  if (Number(req.headers['content-length'] ?? 0) > limit + MAX_OVERHEAD_BYTES) return tooLarge(req, res, limit);
  if (!/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? ''))
    throw new BodyError(message('FORM_NOT_MULTIPART'), 200);
  const extended = extendTimeout(req.socket);
  if (!extended) return closeAfter(req, res, new BodyError(BUSY, 503));
  const storage = toDisk(place);
  res.once('close', () => storage.clear());
  const handle = multer({ storage, limits: { ...LIMITS, fileSize: limit } }).single(name);
  try {
    await new Promise<void>((resolve, reject) => {
      // The parser would read the rest of the body before it reports the error.
      storage.overflow = () => reject(new MulterError('LIMIT_FILE_SIZE'));
      handle(req, res, (error: unknown) =>
        error === undefined || error === null ? resolve() : reject(error as Error),
      );
    });
  } catch (error) {
    storage.clear();
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') return tooLarge(req, res, limit);
    throw problemOf(error);
  } finally {
    extended.over();
  }
  if (!req.file) throw new BodyError(message('FORM_FILE_MISSING'), 200);
  if (req.file.size === 0) throw new BodyError(message('FILE_EMPTY'), 200);
  const texts = Object.entries((req.body ?? {}) as Record<string, unknown>).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  );
  return { ...readFields(texts), [name]: new Upload(req.file.path, req.file.size, storage.digest) };
}

/**
 * Stores files under our own names, with the digest of the last one. `clear` deletes all of them. `overflow` is called when
 * a file is too large.
 */
function toDisk(place: () => string): StorageEngine & { clear(): void; overflow: () => void; digest: string } {
  const begun = new Set<string>();
  return {
    overflow: () => undefined,
    digest: '',
    _handleFile(_req, file, done) {
      file.stream.once('limit', () => this.overflow());
      let path: string;
      let fd: number;
      try {
        path = place();
        begun.add(path);
        // Registered at once: a file that is created after the form has failed would not be cleared.
        fd = openSync(path, 'wx', 0o600);
      } catch (error) {
        done(error);
        return;
      }
      const target = createWriteStream(path, { fd });
      const digest = createHash('sha256');
      file.stream.on('data', (chunk: Buffer) => digest.update(chunk));
      pipeline(file.stream, target, (error) => {
        this.digest = digest.digest('hex');
        if (error) done(error);
        else done(null, { path, size: target.bytesWritten });
      });
    },
    _removeFile(_req, file, done) {
      rm(file.path, { force: true }, (error) => done(error));
    },
    clear() {
      // A file that is still being written disappears with its last handle.
      for (const path of begun) rm(path, { force: true }, () => undefined);
    },
  };
}

/** The running uploads of each server, and its request timeout without them. */
const waiting = new WeakMap<Server, { uploads: number; readonly timeoutMs: number }>();

/**
 * Extends the request timeout, which is per server, while an authorized caller uploads a large file. Null when the maximum
 * number of uploads is running.
 */
function extendTimeout(socket: Socket): { over(): void } | null {
  const { server } = socket as Socket & { readonly server?: Server };
  if (!server) return { over: () => undefined };
  const state = waiting.get(server) ?? { uploads: 0, timeoutMs: server.requestTimeout };
  waiting.set(server, state);
  if (state.uploads >= MAX_UPLOADS) return null;
  state.uploads += 1;
  server.requestTimeout = UPLOAD_TIMEOUT_MS;
  return {
    over() {
      state.uploads -= 1;
      if (state.uploads === 0) server.requestTimeout = state.timeoutMs;
    },
  };
}

function problemOf(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'LIMIT_UNEXPECTED_FILE' || code === 'LIMIT_FILE_COUNT')
    return new BodyError(message('FORM_FILE_UNEXPECTED'), 200);
  if (error instanceof MulterError) return new BodyError(message('FORM_TOO_LARGE'));
  // Parser errors have a name, disk errors have a code.
  return code === undefined ? new BodyError(message('FORM_INVALID')) : (error as Error);
}
