import type { ServerResponse } from 'node:http';

/** The same answer for what does not exist and for what is hidden: empty, with only the base headers. */
export function notFound(res: ServerResponse): void {
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(404, { 'Content-Length': 0 }).end();
}
