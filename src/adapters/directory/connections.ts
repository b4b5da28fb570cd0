import type { connect } from 'node:net';
import type { connect as connectTls } from 'node:tls';
import { Client } from 'ldapts';
import { type DirectoryConfig, DirectoryError } from '../../commands/ports/directory.js';
import { within } from '../../lib/time/within.js';
import { message } from '../../messages/message.js';
import { directoryError } from './failure.js';
import { LimitedSocket } from './limited-socket.js';

interface Limits {
  /** For the whole operation. */
  readonly ms: number;
  /** Received on each connection. */
  readonly bytes: number;
}

/**
 * Runs `use` with a function that opens connections to the directory, and closes all of them afterwards. Rejects only
 * with `DirectoryError`, also when a limit is exceeded.
 */
export async function withConnections<T>(
  config: DirectoryConfig,
  { ms, bytes }: Limits,
  use: (open: () => Client) => Promise<T>,
): Promise<T> {
  if (config.host === '') throw new DirectoryError(message('directory.hostNotSet'));
  const sockets: LimitedSocket[] = [];
  const createSocket = (): LimitedSocket => {
    const made = new LimitedSocket(config, bytes);
    sockets.push(made);
    return made;
  };
  const open = (): Client =>
    new Client({
      // The socket knows the address; only the scheme is used here.
      url: config.tls ? 'ldaps://directory' : 'ldap://directory',
      timeout: ms,
      connectTimeout: ms,
      // The library types these as Node's overloaded functions. It calls them with options, which `createSocket` does not
      // need, and uses the result as a Duplex with `connecting` and the events of a connection, which `LimitedSocket` is.
      createConnection: createSocket as unknown as typeof connect,
      createSecureConnection: createSocket as unknown as typeof connectTls,
    });
  const late = (): never => {
    throw new DirectoryError(message('directory.timedOut', { span: ms }));
  };
  try {
    return await within(ms, use(open), late);
  } catch (error) {
    throw directoryError(error);
  } finally {
    for (const one of sockets) one.destroy();
  }
}

/** Binds with the panel's own DN, or anonymously. */
export async function bindSearcher(client: Client, { bindDn, bindPassword }: DirectoryConfig): Promise<void> {
  if (bindDn === '') return;
  if (isBlank(bindPassword)) throw new DirectoryError(message('directory.passwordNotSet'));
  await client.bind(bindDn, bindPassword);
}

/** Only white space, control characters and format characters. */
const BLANK = /^[\s\p{C}\p{Z}]*$/u;

/**
 * Whether a directory could treat this password as empty. Such a bind is anonymous and always succeeds (RFC 4513, 5.1.2). A
 * directory may remove invisible characters (RFC 4518) or end the text at a NUL.
 */
export const isBlank = (password: string): boolean => BLANK.test(password) || password.includes('\0');
