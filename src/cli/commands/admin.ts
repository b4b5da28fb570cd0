import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { readSecret } from '../../adapters/data-directory/secret-file.js';
import { scryptPasswords } from '../../adapters/passwords/passwords.js';
import { panelState } from '../../commands/state.js';
import { credentialProblem, MIN_PASSWORD_CHARS } from '../../commands/user/credential-rules.js';
import { operate } from '../../control/control.js';
import type { Quotas } from '../../events/access/access.js';
import { accessOf, NO_QUOTAS } from '../../events/access/access-of.js';
import { BUILT_IN_ROLES } from '../../events/access/roles.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { assertNotEmpty, assertOneOf, wholeNumber } from '../option-values.js';
import { print, printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';
import { handOverCommand } from './access.js';

interface AccessOptions {
  readonly role?: string;
  readonly inbounds?: string;
  readonly clients?: string;
  readonly totalBytes?: string;
  readonly clientBytes?: string;
  readonly days?: string;
}

const withAccess = (command: Command, say: Say): Command =>
  command
    .option('--inbounds <ids>', say(message('cli.optionInbounds')))
    .option('--clients <count>', say(message('cli.optionClients')))
    .option('--total-bytes <bytes>', say(message('cli.optionTotalBytes')))
    .option('--client-bytes <bytes>', say(message('cli.optionClientBytes')))
    .option('--days <days>', say(message('cli.optionDays')));

const LARGEST = { min: 0, max: Number.MAX_SAFE_INTEGER };

const quotaOptions = [
  ['--clients', 'clients'],
  ['--total-bytes', 'totalBytes'],
  ['--client-bytes', 'clientBytes'],
  ['--days', 'days'],
] as const;

/** The limits that the options name. */
function limitsIn(options: AccessOptions) {
  const quotas: { [Q in keyof Quotas]?: number } = {};
  for (const [name, quota] of quotaOptions) {
    const text = options[quota];
    if (text !== undefined) quotas[quota] = wholeNumber(name, text, LARGEST);
  }
  const inbounds = options.inbounds?.split(',').filter((part) => part.trim() !== '');
  const given = inbounds?.map((part) => wholeNumber('--inbounds', part.trim(), { ...LARGEST, min: 1 }));
  return { ...(given === undefined ? {} : { inbounds: given }), quotas };
}

/** The access that the options ask for. Without a role, an admin is not created. Throws `UsageError`. */
function accessIn(options: AccessOptions) {
  const { role = '' } = options;
  if (role === '') throw new UsageError(message('cli.roleMissing', { roles: [...BUILT_IN_ROLES.keys()] }));
  const { inbounds = [], quotas } = limitsIn(options);
  return { role, inbounds, quotas: { ...NO_QUOTAS, ...quotas } };
}

function accessCommands(admin: Command, globals: () => GlobalOptions, say: Say): void {
  const report = ({ json }: GlobalOptions, username: string): void =>
    printEither(json, { username }, say(message('cli.adminDone', { username })));
  withAccess(admin.command('role').argument('<name>').argument('[role]'), say)
    .description(say(message('cli.adminRole')))
    .action(async (username: string, role: string | undefined, options: AccessOptions) => {
      const changes = { ...(role === undefined ? {} : { role }), ...limitsIn(options) };
      await operate(globals().dataDir, 'admin.role', { username, ...changes });
      report(globals(), username);
    });
  handOverCommand(admin, globals, say);
  admin
    .command('remove')
    .argument('<name>')
    .option('--owner <name>', say(message('cli.optionNewOwner')))
    .description(say(message('cli.adminRemove')))
    .action(async (username: string, { owner }: { readonly owner?: string }) => {
      await operate(globals().dataDir, 'admin.remove', { username, ...(owner === undefined ? {} : { owner }) });
      report(globals(), username);
    });
}

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
      for (const { id, username } of state.state.users.values()) {
        const { role } = accessOf(state.state.access, id);
        printEither(json, { id, username, role }, `${id}  ${username}  ${role}`);
      }
    });

  withAccess(change('create', say(message('cli.adminCreate'))), say)
    .alias('add')
    .option('--role <role>', say(message('cli.optionRole')))
    .action((username: string, options: PasswordOptions & AccessOptions) =>
      withPassword('admin.create', username, { ...options, access: accessIn(options) }, globals(), say),
    );
  accessCommands(admin, globals, say);
  change('reset-password', say(message('cli.adminReset'))).action((username: string, options: PasswordOptions) =>
    withPassword('admin.reset-password', username, options, globals(), say),
  );

  admin
    .command('disable-2fa')
    .argument('[name]', say(message('cli.argumentFactors')))
    .description(say(message('cli.adminDisable2fa')))
    .action(async (username: string | undefined) => {
      const { dataDir, json } = globals();
      const asked = username === undefined ? {} : { username };
      const operation = username === undefined ? 'admin.disable-2fa' : 'admin.remove-factors';
      const { changed } = (await operate(dataDir, operation, asked)) as { changed: boolean };
      const off = username === undefined ? message('cli.twoFactorOff') : message('cli.factorsRemoved', { username });
      const wasOff =
        username === undefined ? message('cli.twoFactorWasOff') : message('cli.factorsMissing', { username });
      printEither(json, { ...asked, changed }, say(changed ? off : wasOff));
    });
}

/** The password stays in this process: the panel only receives its hash. */
async function withPassword(
  operation: 'admin.create' | 'admin.reset-password',
  username: string,
  { access, ...options }: PasswordOptions & { readonly access?: ReturnType<typeof accessIn> },
  { dataDir, json }: GlobalOptions,
  say: Say,
): Promise<void> {
  const given = givenPassword(options);
  const password = given ?? newPassword();
  const weakness = operation === 'admin.create' ? credentialProblem(username, password) : null;
  if (weakness !== null) throw new OperatorError(weakness);
  const passwordHash = await scryptPasswords().hash(password);
  await operate(dataDir, operation, { username, passwordHash, ...(access === undefined ? {} : { access }) });
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
