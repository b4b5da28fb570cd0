import type { IncomingMessage } from 'node:http';
import { sameSecret } from './equal.js';

const BEARER = /^bearer ([\x21-\x7e]+)$/i;

/** Whether the request carries the API token: one Authorization header, scheme Bearer, one space. */
export function holdsToken(req: IncomingMessage, token: string | null): boolean {
  const header = req.headers.authorization;
  if (header === undefined || token === null || token === '') return false;
  // Node keeps the first of several in `headers`; only the raw list tells that there were several.
  const count = req.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  const given = BEARER.exec(header)?.[1];
  return count === 1 && given !== undefined && sameSecret(given, token);
}
