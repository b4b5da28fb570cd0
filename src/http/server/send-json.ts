import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';

/**
 * Sends a JSON text. `headers`, names and values in turn, come first. If no header was set before, the head is sent in one
 * piece with the text, which costs half as much as single headers.
 */
export function sendJson(res: ServerResponse, text: string, headers: readonly string[] = []): void {
  writeHead(res, Buffer.byteLength(text), headers);
  // The text of a HEAD request is dropped by node.
  res.end(text);
}

/** Sends a long JSON text in pieces, each when the client has received those before. */
export function sendJsonPieces(res: ServerResponse, pieces: readonly Uint8Array[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  writeHead(res, length, []);
  if (res.req.method === 'HEAD') res.end();
  // A client that disconnects or stops reading is not an error of the panel.
  else pipeline(Readable.from(pieces, { objectMode: false }), res, () => undefined);
}

function writeHead(res: ServerResponse, length: number, headers: readonly string[]): void {
  res.writeHead(res.statusCode, [
    ...headers,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(length),
  ]);
}
