import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { scryptPasswords } from '../adapters/passwords/passwords.js';
import { asSystem } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import { SHORTEST_PASSWORD } from '../commands/user/credential-rules.js';
import type { Config } from '../config.js';
import { type Panel } from './panel.js';

/** The account of an empty log, ready to be created. */
export interface FirstAdmin {
  /**
   * Prints the password, where it was made up, and then creates the account, in one synchronous step. In this order a start
   * that fails or is killed in between loses nothing: the next one makes up another password. Throws a sentence when the
   * password cannot be printed or the account cannot be saved.
   */
  create(): void;
}

/** The first admin of a log without users, or null. The account is created when everything that may fail has been done. */
export async function prepareFirstAdmin(
  { read, dispatch, complaint }: Pick<Panel, 'read' | 'dispatch' | 'complaint'>,
  config: Config,
  warn: (message: string) => void,
): Promise<FirstAdmin | null> {
  if (read.users().users.size > 0 || complaint !== null) return null;
  const { ADMIN_PASSWORD: given, ADMIN_USERNAME: username = 'admin' } = config;
  if (given !== undefined && given.length < SHORTEST_PASSWORD)
    warn(`PORTOLAN_ADMIN_PASSWORD has fewer than ${SHORTEST_PASSWORD} characters: choose a longer one in the settings`);
  const password = given ?? randomBytes(15).toString('base64url');
  const passwordHash = await scryptPasswords().hash(password);
  return {
    create(): void {
      if (given === undefined) printPassword(username, password);
      const done = dispatch({ type: 'CreateUser', data: { username, passwordHash } }, asSystem('first start'));
      if (done instanceof Rejection) throw new Error(done.message);
    },
  };
}

/** Written through to standard output: what is only buffered may be lost with the process. */
function printPassword(username: string, password: string): void {
  const lines = [
    '',
    `  First admin    ${username}`,
    `  Password       ${password}   (shown this once: change it or write it down)`,
  ];
  try {
    writeSync(process.stdout.fd, `${lines.join('\n')}\n`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `The password of the first admin could not be printed (${code ?? message}), so no admin was created: start the panel with a standard output that can be written, or with PORTOLAN_ADMIN_PASSWORD`,
    );
  }
}
