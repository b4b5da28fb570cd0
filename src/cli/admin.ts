import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { scryptPasswords } from '../adapters/passwords/passwords.js';
import { panelState } from '../commands/state.js';
import { SHORTEST_PASSWORD, weaknessOf } from '../commands/user/credential-rules.js';
import { operate } from '../control/control.js';
import { begin, catchUp } from '../events/log/replay.js';
import { OperatorError } from '../lib/operator-error.js';
import { message } from '../messages/message.js';
import { render } from '../messages/render.js';
import { openJournal } from '../store/journal.js';
import { print, printEither } from './output.js';
import type { Common } from './reading.js';

interface PasswordOptions {
  readonly password?: string;
  readonly passwordFile?: string;
}

/** A password that nobody can guess and anybody can type. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

/** `portolan admin …`: for the locked-out, whether the panel runs or not. */
export function adminCommands(program: Command, common: (command: Command) => Common): void {
  const admin = program.command('admin').description('accounts, also while the panel runs');
  const change = (name: string, description: string): Command =>
    admin
      .command(name)
      .argument('<name>')
      .option('--password <password>', 'else a random one is printed')
      .option('--password-file <file>', 'its first line is the password')
      .description(description);

  admin
    .command('list')
    .description('the names of the admins')
    .action((_options: object, command: Command) => {
      const { dataDir, json } = common(command);
      const { log } = openJournal(dataDirectory(dataDir), { readonly: true });
      const state = begin(panelState);
      catchUp(log, [state]);
      log.close();
      for (const { id, username } of state.state.users.values())
        printEither(json, { id, username }, `${id}  ${username}`);
    });

  change('create', 'a new admin').action((username: string, options: PasswordOptions, command: Command) =>
    withPassword('admin.create', username, options, common(command)),
  );
  change('reset-password', 'a new password for an admin; all of the sessions end').action(
    (username: string, options: PasswordOptions, command: Command) =>
      withPassword('admin.reset-password', username, options, common(command)),
  );

  admin
    .command('disable-2fa')
    .description('logins ask for no code any more; all sessions end')
    .action(async (_options: object, command: Command) => {
      const { dataDir, json } = common(command);
      const { changed } = (await operate(dataDir, 'admin.disable-2fa', {})) as { changed: boolean };
      const text = changed ? 'Two-factor login is off' : 'Two-factor login was not on';
      printEither(json, { changed }, text);
    });
}

/** The password stays here: the panel only sees its hash. */
async function withPassword(
  operation: 'admin.create' | 'admin.reset-password',
  username: string,
  options: PasswordOptions,
  { dataDir, json }: Common,
): Promise<void> {
  const given = givenPassword(options);
  const password = given ?? newPassword();
  const weakness = operation === 'admin.create' ? weaknessOf(username, password) : null;
  if (weakness !== null) throw new OperatorError(render(weakness, 'en'));
  const passwordHash = await scryptPasswords().hash(password);
  await operate(dataDir, operation, { username, passwordHash });
  if (json) print(JSON.stringify({ username, ...(given === null ? { password } : {}) }));
  else print(given === null ? `Password of ${username}: ${password}` : `Done for ${username}`);
}

/** Null when a random one is wanted. */
function givenPassword({ password, passwordFile }: PasswordOptions): string | null {
  const given = passwordFile === undefined ? password : (readFileSync(passwordFile, 'utf8').split(/\r?\n/)[0] ?? '');
  if (given !== undefined && given.length < SHORTEST_PASSWORD)
    throw new OperatorError(render(message('settings.passwordTooShort', { min: SHORTEST_PASSWORD }), 'en'));
  return given ?? null;
}
