import type { ServerResponse } from 'node:http';

/**
 * Sends a JSON text. `headers`, names and values in turn, stand before its own: with them, and with no header set
 * before, the head goes out in one piece with the text, which costs half of what single headers do.
 */
export function sendJson(res: ServerResponse, text: string, headers: readonly string[] = []): void {
  const length = String(Buffer.byteLength(text));
  res.writeHead(res.statusCode, [
    ...headers,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    length,
  ]);
  // The text of a HEAD request is dropped by node.
  res.end(text);
}
