import type { ServerResponse } from 'node:http';

/** The one answer for what is not here and for what is not shown: empty, and with the base headers alone. */
export function notFound(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(404, { 'Content-Length': 0 }).end();
}
