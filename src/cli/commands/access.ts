import type { Command } from 'commander';
import { type PanelState, panelState } from '../../commands/state.js';
import { operate } from '../../control/control.js';
import { lastUses } from '../../control/last-uses.js';
import { BUILT_IN_ROLES } from '../../events/access/roles.js';
import type { ClientNumber } from '../../events/ids.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { sameName } from '../../lib/identifiers.js';
import { SCOPES, type Scope } from '../../lib/permissions.js';
import { timeText } from '../../lib/words.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { type Session, users } from '../../projections/models/users.js';
import { numberIn } from '../clients-named.js';
import { printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';
import { tokenCommands } from './token.js';

/** Digits of the hash of a session that name it in a list. */
const SESSION_DIGITS = 12;

const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

/** `clients:read=own` as a grant; without a scope it holds for all. */
function grantIn(text: string): { readonly permission: string; readonly scope: Scope } {
  const [permission = '', scope = 'all'] = text.split('=');
  if (!isScope(scope)) throw new UsageError(message('cli.scopeUnknown', { grant: text, scopes: SCOPES }));
  return { permission, scope };
}

/** `portolan role …`, `portolan session …` and `portolan token …`. */
export function accessCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  roleCommands(program, globals, say);
  sessionCommands(program, globals, say);
  tokenCommands(program, globals, say);
}

/** `portolan role …`: manages the roles of your own, whether the panel runs or not. */
function roleCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const role = program.command('role').description(say(message('cli.role')));
  const report = (name: string): void =>
    printEither(globals().json, { role: name }, say(message('cli.roleDone', { role: name })));

  role
    .command('list')
    .description(say(message('cli.roleList')))
    .action(() => {
      const { dataDir, json } = globals();
      const state = begin(panelState);
      reading(dataDir, ({ log }) => catchUp(log, [state]));
      for (const [name, grants] of [...BUILT_IN_ROLES, ...state.state.access.roles]) {
        const shown = grants.map(({ permission, scope }) => (scope === 'all' ? permission : `${permission}=${scope}`));
        printEither(json, { role: name, builtIn: BUILT_IN_ROLES.has(name), grants }, `${name}  ${shown.join(',')}`);
      }
    });

  role
    .command('define')
    .argument('<name>')
    .requiredOption('--grants <permissions>', say(message('cli.optionGrants')))
    .description(say(message('cli.roleDefine')))
    .action(async (name: string, { grants }: { readonly grants: string }) => {
      await operate(globals().dataDir, 'role.define', { role: name, grants: listed(grants).map(grantIn) });
      report(name);
    });

  role
    .command('delete')
    .argument('<name>')
    .description(say(message('cli.roleDelete')))
    .action(async (name: string) => {
      await operate(globals().dataDir, 'role.delete', { role: name });
      report(name);
    });
}

interface HandOverOptions {
  readonly from?: string;
  readonly clients?: string;
}

/** `portolan admin hand-over`. */
export function handOverCommand(admin: Command, globals: () => GlobalOptions, say: Say): void {
  admin
    .command('hand-over')
    .argument('[name]', say(message('cli.optionNewOwner')))
    .option('--from <name>', say(message('cli.optionFormerOwner')))
    .option('--clients <emails>', say(message('cli.optionHandOverClients')))
    .description(say(message('cli.adminHandOver')))
    .action(async (owner: string | undefined, options: HandOverOptions) => {
      const { dataDir, json } = globals();
      if (options.from === undefined && options.clients === undefined)
        throw new UsageError(message('cli.handOverNothing'));
      const state = begin(panelState);
      reading(dataDir, ({ log }) => catchUp(log, [state]));
      const asked = { clients: clientsIn(state.state, options), owner: owner ?? null };
      const { clients } = (await operate(dataDir, 'admin.hand-over', asked)) as { clients: readonly number[] };
      printEither(json, { owner: owner ?? null, clients }, say(message('cli.handedOver', { count: clients.length })));
    });
}

/** The numbers of the clients that the options name. Throws `OperatorError` for an unknown admin or client. */
function clientsIn({ users: accounts, clients, byEmail, access }: PanelState, options: HandOverOptions) {
  const { from } = options;
  const former = from === undefined ? null : [...accounts.values()].find(({ username }) => sameName(username, from));
  if (from !== undefined && !former) throw new OperatorError(message('cli.adminUnknown', { username: from }));
  const isOwned = (number: number): boolean => !former || access.owners.get(number) === former.id;
  if (options.clients === undefined) return [...clients.keys()].filter(isOwned);
  return listed(options.clients).flatMap((name): readonly ClientNumber[] => {
    const number = numberIn(name) as ClientNumber | null;
    const named = number === null ? byEmail.get(name) : clients.has(number) ? [number] : [];
    if (named.length === 0) throw new OperatorError(message('cli.clientUnknown', { client: name }));
    return named.filter(isOwned);
  });
}

/** `portolan session …`: shows and ends logins, whether the panel runs or not. */
function sessionCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const session = program.command('session').description(say(message('cli.session')));

  session
    .command('list')
    .argument('[name]', say(message('cli.argumentSessions')))
    .description(say(message('cli.sessionList')))
    .action(async (name: string | undefined) => {
      const { dataDir, json } = globals();
      const sessions = sessionsOf(dataDir, name);
      const uses = await lastUses(
        dataDir,
        sessions.map(({ id }) => id),
      );
      for (const { id, username, device, ip, startedAt, expiresAt } of sessions) {
        const used = uses.get(id);
        const shown = { session: id.slice(0, SESSION_DIGITS), username, device, ip: used?.ip ?? ip };
        const times = [startedAt, expiresAt].map((at) => timeText(at));
        const lastUse = used ? timeText(used.at) : say(message('cli.sessionUseUnknown'));
        printEither(
          json,
          { ...shown, startedAt, expiresAt, usedAt: used?.at ?? null },
          [shown.session, username, ...times, lastUse, shown.ip ?? '', device].join('  '),
        );
      }
    });

  session
    .command('revoke')
    .argument('<name>')
    .option('--session <id>', say(message('cli.optionSession')))
    .description(say(message('cli.sessionRevoke')))
    .action(async (username: string, { session: id }: { readonly session?: string }) => {
      const { dataDir, json } = globals();
      const known = sessionsOf(dataDir, username);
      const [ended, other] = id === undefined ? [] : known.filter((one) => one.id.startsWith(id.toLowerCase()));
      if (id !== undefined && (!ended || other || id.length < SESSION_DIGITS))
        throw new OperatorError(message('cli.sessionUnknown', { id, username }));
      await operate(dataDir, 'session.revoke', { username, session: ended?.id ?? null });
      const count = id === undefined ? known.length : 1;
      printEither(json, { username, ended: count }, say(message('cli.sessionsEnded', { count })));
    });
}

/** The sessions that have not expired, of one admin or of all. Throws `OperatorError` for an unknown admin. */
function sessionsOf(
  dataDir: string,
  name: string | undefined,
): readonly (Session & { id: string; username: string })[] {
  const model = begin(users);
  reading(dataDir, ({ log }) => catchUp(log, [model]));
  const accounts = [...model.state.users.values()].filter(
    ({ username }) => name === undefined || sameName(username, name),
  );
  if (name !== undefined && accounts.length === 0)
    throw new OperatorError(message('cli.adminUnknown', { username: name }));
  const names = new Map(accounts.map(({ id, username }) => [id, username]));
  return [...model.state.sessions].flatMap(([id, session]) => {
    const username = names.get(session.user);
    return username === undefined || session.expiresAt <= Date.now() ? [] : [{ ...session, id, username }];
  });
}
