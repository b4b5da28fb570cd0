import type { IncomingMessage } from 'node:http';
import type { OpaqueNumbers } from '../../../lib/opaque-numbers.js';

/** A browser that has changed something sends it, so that each member waits until it has the change. */
const POSITION_COOKIE = 'portolan-position';
/** Seconds after a change in which a browser waits for it. Every member has it after that, or is cut off. */
const COOKIE_SECONDS = 30;
/** How long a request may wait for a position, in ms. */
export const WAIT_MS = 2000;

const POSITION = /^\d{1,15}$/;

/** A position that the caller requires, and whether it named the position itself. */
export interface Asked {
  readonly position: number;
  /** By the header: the caller wants no older answer. */
  readonly isHeader: boolean;
}

/**
 * The position that an answer must have at least; null = any. A header may name a hidden position as well. A cookie has only
 * hidden ones, and is ignored with another text: the time that a request waits must not tell its caller the position.
 */
export function askedPosition({ headers }: IncomingMessage, positions: OpaqueNumbers): Asked | null | 'invalid' {
  const header = headers['x-portolan-at-least'];
  if (header !== undefined) {
    const position = Number(header);
    if (!POSITION.test(String(header))) return 'invalid';
    return { position: positions.reveal(position) ?? position, isHeader: true };
  }
  if (headers.cookie === undefined || !headers.cookie.includes(POSITION_COOKIE)) return null;
  const parts = headers.cookie.split(';').map((part) => part.trim().split('='));
  const value = parts.find(([name]) => name === POSITION_COOKIE)?.[1] ?? '';
  const position = POSITION.test(value) ? positions.reveal(Number(value)) : null;
  return position === null ? null : { position, isHeader: false };
}

/** The value of `Set-Cookie` after a change. */
export function positionCookie(position: number, path: string, secure: boolean): string {
  const flags = `HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${POSITION_COOKIE}=${position}; Path=${path}; Max-Age=${COOKIE_SECONDS}; ${flags}`;
}
