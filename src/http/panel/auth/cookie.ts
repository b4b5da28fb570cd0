import type { ServerResponse } from 'node:http';

/** The name that the clients of 3x-ui look for. */
export const SESSION_COOKIE = '3x-ui';

/** 256 bits in base64url. What looks different was not made here. */
const ID = /^[A-Za-z0-9_-]{43}$/;

export interface CookieHeader {
  /** The session id that the caller holds, or null. */
  readonly id: string | null;
  /** Several cookies of the name came, so none of them counts: which is meant cannot be told. */
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
  /** Seconds; null = until the browser closes. There is no Expires: a client that sees one logs in again each time. */
  readonly maxAge: number | null;
}

/** Sets the cookie, or with an empty value removes it. `others` also removes one of the same name that another path left. */
export function writeSessionCookie(
  res: ServerResponse,
  value: string,
  { path, secure, maxAge }: CookieAttributes,
  others = false,
): void {
  const age = maxAge === null ? '' : `; Max-Age=${maxAge}`;
  const flags = `; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const cookies = [`${SESSION_COOKIE}=${value}; Path=${path}${age}${flags}`];
  if (others && path !== '/') cookies.push(`${SESSION_COOKIE}=; Path=/; Max-Age=0${flags}`);
  res.setHeader('Set-Cookie', cookies);
}
