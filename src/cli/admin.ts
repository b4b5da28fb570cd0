import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { readSecret } from '../adapters/data-directory/secret-file.js';
import { scryptPasswords } from '../adapters/passwords/passwords.js';
import { panelState } from '../commands/state.js';
import { credentialProblem, MIN_PASSWORD_CHARS } from '../commands/user/credential-rules.js';
import { operate } from '../control/control.js';
import { begin, catchUp } from '../events/log/replay.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { message } from '../messages/message.js';
import type { Say } from '../messages/terminal.js';
import { assertNotEmpty, assertOneOf } from './option-values.js';
import { print, printEither } from './output.js';
import { type GlobalOptions, reading } from './reading.js';

interface PasswordOptions {
  readonly password?: string;
  readonly passwordFile?: string;
}

/** A random password that can be typed. */
function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

/** `portolan admin …`: manages accounts, whether the panel runs or not. */
export function adminCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const admin = program.command('admin').description(say(message('cli.admin')));
  const change = (name: string, description: string): Command =>
    admin
      .command(name)
      .argument('<name>')
      .option('--password <password>', say(message('cli.optionPassword')))
      .option('--password-file <file>', say(message('cli.optionPasswordFile')))
      .description(description);

  admin
    .command('list')
    .description(say(message('cli.adminList')))
    .action(() => {
      const { dataDir, json } = globals();
      const state = begin(panelState);
      reading(dataDir, ({ log }) => catchUp(log, [state]));
      for (const { id, username } of state.state.users.values())
        printEither(json, { id, username }, `${id}  ${username}`);
    });

  change('create', say(message('cli.adminCreate'))).action((username: string, options: PasswordOptions) =>
    withPassword('admin.create', username, options, globals(), say),
  );
  change('reset-password', say(message('cli.adminReset'))).action((username: string, options: PasswordOptions) =>
    withPassword('admin.reset-password', username, options, globals(), say),
  );

  admin
    .command('disable-2fa')
    .description(say(message('cli.adminDisable2fa')))
    .action(async () => {
      const { dataDir, json } = globals();
      const { changed } = (await operate(dataDir, 'admin.disable-2fa', {})) as { changed: boolean };
      printEither(json, { changed }, say(message(changed ? 'cli.twoFactorOff' : 'cli.twoFactorWasOff')));
    });
}

/** The password stays in this process: the panel only receives its hash. */
async function withPassword(
  operation: 'admin.create' | 'admin.reset-password',
  username: string,
  options: PasswordOptions,
  { dataDir, json }: GlobalOptions,
  say: Say,
): Promise<void> {
  const given = givenPassword(options);
  const password = given ?? newPassword();
  const weakness = operation === 'admin.create' ? credentialProblem(username, password) : null;
  if (weakness !== null) throw new OperatorError(weakness);
  const passwordHash = await scryptPasswords().hash(password);
  await operate(dataDir, operation, { username, passwordHash });
  if (json) print(JSON.stringify({ username, ...(given === null ? { password } : {}) }));
  else
    print(
      say(given === null ? message('cli.passwordOf', { username, password }) : message('cli.adminDone', { username })),
    );
}

/** Null when a random one is to be generated. */
function givenPassword({ password, passwordFile }: PasswordOptions): string | null {
  assertNotEmpty('--password-file', passwordFile);
  assertOneOf('--password', password, '--password-file', passwordFile);
  const given = passwordFile === undefined ? password : firstLine(readSecret(passwordFile));
  if (given !== undefined && given.length < MIN_PASSWORD_CHARS)
    throw new OperatorError(message('settings.passwordTooShort', { min: MIN_PASSWORD_CHARS }));
  return given ?? null;
}

const firstLine = (text: string): string => text.split(/\r?\n/)[0] ?? '';
