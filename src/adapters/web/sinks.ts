import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { WebError } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';
import type { Reply, Sink } from './ask.js';
import { unreached } from './target.js';

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

const tooLarge = (host: string, limit: number): WebError =>
  new WebError('too-large', message('network.tooLarge', { host, limit }));

/** Counts the bytes, and throws at the first byte above the limit. */
function counter(limit: number) {
  let bytes = 0;
  return {
    begin: ({ host, headers }: Reply): void => {
      if (Number(headers['content-length']) > limit) throw tooLarge(host, limit);
    },
    take: (host: string, piece: Buffer): void => {
      bytes += piece.length;
      if (bytes > limit) throw tooLarge(host, limit);
    },
    bytes: () => bytes,
  };
}

/** Keeps a body in memory. `decoded` rejects with `WebError` when the body cannot be decompressed within the same limit. */
export function memorySink(limit: number): Sink & { decoded(reply: Reply): Promise<Buffer> } {
  const pieces: Buffer[] = [];
  const count = counter(limit);
  let host = '';
  return {
    begin: (reply) => {
      host = reply.host;
      count.begin(reply);
    },
    take: (piece) => {
      count.take(host, piece);
      pieces.push(piece);
    },
    decoded: async ({ headers }) => {
      const body = Buffer.concat(pieces);
      const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
      if (encoding === '' || encoding === 'identity' || body.length === 0) return body;
      const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding as keyof typeof decoders] : null;
      if (decode === null) throw unreached('unreachable', host, new Error('an unknown content encoding'));
      return decode(body, { maxOutputLength: limit }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(host, limit) : unreached('unreachable', host, error);
      });
    },
  };
}

/**
 * Writes the body of a 200 to a new file as it arrives. Never overwrites an existing file. Call exactly one of `keep` and
 * `drop` at the end; no partial file remains.
 */
export function fileSink(file: string, limit: number) {
  const hash = createHash('sha256');
  const count = counter(limit);
  let host = '';
  let handle: number | null = null;
  const close = (): void => {
    if (handle !== null) closeSync(handle);
    handle = null;
  };
  return {
    begin: (reply: Reply): void => {
      const { status, headers } = reply;
      host = reply.host;
      if (status !== 200) throw new WebError('status', message('network.status', { host, status }), { status });
      if (!['', 'identity'].includes(headers['content-encoding']?.toLowerCase() ?? ''))
        throw unreached('unreachable', host, new Error('a content encoding that was not requested'));
      count.begin(reply);
      handle = openSync(file, 'wx', 0o600);
    },
    take: (piece: Buffer): void => {
      count.take(host, piece);
      hash.update(piece);
      for (let at = 0; handle !== null && at < piece.length; ) at += writeSync(handle, piece, at);
    },
    /** Returns a function that checks whether at least this many bytes arrived since its last call. */
    gained: (least: number): (() => boolean) => {
      let before = 0;
      return () => {
        const since = count.bytes() - before;
        before += since;
        return since >= least;
      };
    },
    keep: (): { bytes: number; sha256: string } => {
      if (handle !== null) fsyncSync(handle);
      close();
      return { bytes: count.bytes(), sha256: hash.digest('hex') };
    },
    drop: (): void => {
      if (handle === null) return;
      close();
      rmSync(file, { force: true });
    },
  };
}
