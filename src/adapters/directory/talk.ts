import type { connect } from 'node:net';
import type { connect as connectTls } from 'node:tls';
import { Client } from 'ldapts';
import { DirectoryError, type DirectoryPlace } from '../../commands/ports/directory.js';
import { within } from '../../lib/time/within.js';
import { message } from '../../messages/message.js';
import { directoryError } from './failure.js';
import { Wire } from './wire.js';

interface Bounds {
  /** For everything together. */
  readonly ms: number;
  /** From each connection. */
  readonly bytes: number;
}

/**
 * Talks to a directory within bounds. `use` opens as many connections as it needs; all of them end with it. Rejects
 * with `DirectoryError` only.
 */
export async function talk<T>(
  place: DirectoryPlace,
  { ms, bytes }: Bounds,
  use: (open: () => Client) => Promise<T>,
): Promise<T> {
  if (place.host === '') throw new DirectoryError(message('directory.hostNotSet'));
  const wires: Wire[] = [];
  const wire = (): Wire => {
    const made = new Wire(place, bytes);
    wires.push(made);
    return made;
  };
  const open = (): Client =>
    new Client({
      // The address is that of the wire; here only the scheme counts.
      url: place.tls ? 'ldaps://directory' : 'ldap://directory',
      timeout: ms,
      connectTimeout: ms,
      // The library types these as Node's overloaded functions and calls them with one argument, which a wire has already.
      createConnection: wire as unknown as typeof connect,
      createSecureConnection: wire as unknown as typeof connectTls,
    });
  const late = (): never => {
    throw new DirectoryError(message('directory.timedOut', { span: ms }));
  };
  try {
    return await within(ms, use(open), late);
  } catch (error) {
    throw directoryError(error);
  } finally {
    for (const one of wires) one.destroy();
  }
}

/** Binds with the panel's own DN, or anonymously. */
export async function enter(client: Client, { bindDn, bindPassword }: DirectoryPlace): Promise<void> {
  if (bindDn === '') return;
  if (isBlank(bindPassword)) throw new DirectoryError(message('directory.passwordNotSet'));
  await client.bind(bindDn, bindPassword);
}

/** White space, control and format characters, and nothing else. */
const BLANK = /^[\s\p{C}\p{Z}]*$/u;

/**
 * Whether a directory could take a password for an empty one, and so a bind for an anonymous one, which always succeeds
 * (RFC 4513, 5.1.2): it may strip what prints nothing (RFC 4518), or end the text at a NUL.
 */
export const isBlank = (password: string): boolean => BLANK.test(password) || password.includes('\0');
