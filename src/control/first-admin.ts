import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { scryptPasswords } from '../adapters/passwords/passwords.js';
import { asSystem, type Dispatch } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import { MIN_PASSWORD_CHARS } from '../commands/user/credential-rules.js';
import { MessageError } from '../messages/error.js';
import { message, type Text, verbatim } from '../messages/message.js';
import type { ReadModels } from '../projections/read-models.js';
import type { PanelStore } from '../store/panel-store.js';

/** The account of an empty log, ready to be created. */
interface FirstAdmin {
  /**
   * Prints the password, if it was generated, and then creates the account, in one synchronous step. In this order a start
   * that is killed in between loses nothing: the next one generates another password. Throws `MessageError` when the password
   * cannot be printed or the account cannot be saved.
   */
  create(): void;
}

interface Parts {
  readonly read: Pick<ReadModels, 'admins'>;
  readonly dispatch: Dispatch;
  readonly store: Pick<PanelStore, 'startup'>;
}

/** The name and the password that the operator chose. */
interface Chosen {
  readonly ADMIN_USERNAME?: string | undefined;
  readonly ADMIN_PASSWORD?: string | undefined;
}

/** The first admin of a log without users, or null. `create` is to be called after every other step that may fail. */
export async function prepareFirstAdmin(
  { read, dispatch, store }: Parts,
  { ADMIN_PASSWORD: given, ADMIN_USERNAME: username = 'admin' }: Chosen,
  warn: (message: string) => void,
  say: (text: Text) => string,
): Promise<FirstAdmin | null> {
  if (read.admins.users().users.size > 0 || store.startup.complaint !== null) return null;
  if (given !== undefined && given.length < MIN_PASSWORD_CHARS)
    warn(
      `PORTOLAN_ADMIN_PASSWORD has fewer than ${MIN_PASSWORD_CHARS} characters: choose a longer one in the settings`,
    );
  const password = given ?? randomBytes(15).toString('base64url');
  const passwordHash = await scryptPasswords().hash(password);
  return {
    create(): void {
      if (given === undefined) printPassword(username, password, say);
      const done = dispatch({ type: 'CreateUser', data: { username, passwordHash } }, asSystem('first start'));
      if (done instanceof Rejection) throw new MessageError(done.text);
    },
  };
}

/** Writes synchronously, because buffered output may be lost with the process. */
function printPassword(username: string, password: string, say: (text: Text) => string): void {
  const lines = [
    '',
    `  ${say(message('start.firstAdmin')).padEnd(15)}${username}`,
    `  ${say(message('start.password')).padEnd(15)}${password}   ${say(message('start.passwordOnce'))}`,
  ];
  try {
    writeSync(process.stdout.fd, `${lines.join('\n')}\n`);
  } catch (error) {
    const { code, message: words } = error as NodeJS.ErrnoException;
    throw new MessageError(message('start.passwordNotPrinted', { why: verbatim(code ?? words) }));
  }
}
