import type { ServerResponse } from 'node:http';

/**
 * Sends a JSON text. `headers`, names and values in turn, come first. If no header was set before, the head is sent in one
 * piece with the text, which costs half as much as single headers.
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
