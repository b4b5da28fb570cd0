import type { IncomingMessage, ServerResponse } from 'node:http';
import { message } from '../../messages/message.js';
import { BodyError, MAX_FIELDS, readFields, readForm, readJson } from './json-body.js';

/** How long an oversized request may continue, so that the client reads the answer before the connection closes; ms. */
const BODY_GRACE_MS = 1000;

/** Maximum bytes of bodies that a server buffers at one time. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const MIN_BODY_BYTES = 1024;
const BUSY = message('SERVER_BUSY');

/** The buffer space for the bodies of one server. */
export class BodyRoom {
  #left: number;

  constructor(bytes = MAX_HELD_BYTES) {
    this.#left = bytes;
  }

  /** Reserves this many bytes until the answer is sent; false when there is not enough space. */
  reserve(bytes: number, res: ServerResponse): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    res.once('close', () => {
      this.#left += bytes;
    });
    return true;
  }
}

/** The whole body. Throws `BodyError` when it is larger than `limit` bytes or compressed, or when there is no space for it. */
export async function bytesOf(
  req: IncomingMessage,
  res: ServerResponse,
  { limit, room }: { readonly limit: number; readonly room: BodyRoom },
): Promise<Buffer> {
  uncompressed(req);
  if (Number(req.headers['content-length'] ?? 0) > limit) return tooLarge(req, res, limit);
  // One growing buffer, because a body may arrive in a million chunks.
  let bytes = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (size + chunk.length > limit) return tooLarge(req, res, limit);
    if (size + chunk.length > bytes.length) {
      const larger = Math.min(limit, Math.max(MIN_BODY_BYTES, 2 * bytes.length, size + chunk.length));
      if (!room.reserve(larger - bytes.length, res)) return closeAfter(req, res, new BodyError(BUSY, 503));
      bytes = Buffer.concat([bytes.subarray(0, size)], larger);
    }
    size += chunk.copy(bytes, size);
  }
  return bytes.subarray(0, size);
}

/** Throws `BodyError` for a compressed body. */
export function uncompressed({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw new BodyError(message('BODY_COMPRESSED'), 415);
}

/** Rejects an oversized body, once the caller can read the answer. */
export function tooLarge(req: IncomingMessage, res: ServerResponse, limit: number): Promise<never> {
  return closeAfter(req, res, new BodyError(message('BODY_TOO_LARGE', { limit }), 413));
}

/** Rejects the rest of a body, after the caller has sent it or had time to read the answer. */
export async function closeAfter(req: IncomingMessage, res: ServerResponse, why: BodyError): Promise<never> {
  res.setHeader('Connection', 'close');
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, BODY_GRACE_MS);
    req.once('close', resolve).once('end', () => {
      clearTimeout(timer);
      resolve();
    });
    req.resume();
  });
  throw why;
}

/** Parses a body by its media type: JSON, a form, or the text fields of a multipart form. No type = a form, as in browsers. */
export async function bodyOf(bytes: Buffer, contentType = ''): Promise<unknown> {
  if (bytes.length === 0) return {};
  const media = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (media === 'application/json' || media.endsWith('+json')) return readJson(bytes);
  if (media !== 'multipart/form-data') return readForm(bytes);
  // Checked before parsing, because each part takes time.
  if (partsOf(bytes, contentType) > MAX_FIELDS)
    throw new BodyError(message('FORM_TOO_MANY_FIELDS', { limit: MAX_FIELDS }));
  try {
    const form = await new Response(bytes as Buffer<ArrayBuffer>, {
      headers: { 'content-type': contentType },
    }).formData();
    return readFields([...form].filter((field): field is [string, string] => typeof field[1] === 'string'));
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError(message('FORM_INVALID'));
  }
}

/** The number of parts of a multipart body, up to one more than allowed. */
function partsOf(bytes: Buffer, contentType: string): number {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  if (!boundary) return 0; // The parser reports the error.
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}\r\n`);
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0 && count <= MAX_FIELDS; at = bytes.indexOf(mark, at + mark.length))
    count += 1;
  return count;
}
