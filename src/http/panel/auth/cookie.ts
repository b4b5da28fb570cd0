import type { ServerResponse } from 'node:http';

/** The cookie name that clients of 3x-ui expect. */
export const SESSION_COOKIE = '3x-ui';

/** 256 bits in base64url. Ids in any other form were not issued here. */
const ID = /^[A-Za-z0-9_-]{43}$/;

export interface CookieHeader {
  /** The session id that the caller sent, or null. */
  readonly id: string | null;
  /** Several cookies had this name, so none of them counts. */
  readonly ambiguous: boolean;
}

export function readSessionCookie(header: string | undefined): CookieHeader {
  if (header === undefined) return { id: null, ambiguous: false };
  const values: string[] = [];
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === SESSION_COOKIE) values.push(part.slice(at + 1).trim());
  }
  const [value = ''] = values;
  if (values.length !== 1) return { id: null, ambiguous: values.length > 1 };
  return { id: ID.test(value) ? value : null, ambiguous: false };
}

interface CookieAttributes {
  readonly path: string;
  readonly secure: boolean;
  /**
   * In seconds; null = until the browser closes. Expires is never set: some clients log in again on every request when they
   * see it.
   */
  readonly maxAge: number | null;
}

/**
 * Sets the cookie; an empty value removes it. `others` also removes a cookie of the same name that was set for another path.
 */
export function writeSessionCookie(
  res: ServerResponse,
  value: string,
  { path, secure, maxAge }: CookieAttributes,
  otherPaths = false,
): void {
  const age = maxAge === null ? '' : `; Max-Age=${maxAge}`;
  const flags = `; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const cookies = [`${SESSION_COOKIE}=${value}; Path=${path}${age}${flags}`];
  if (otherPaths && path !== '/') cookies.push(`${SESSION_COOKIE}=; Path=/; Max-Age=0${flags}`);
  res.setHeader('Set-Cookie', cookies);
}
