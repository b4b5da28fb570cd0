import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { dataDirectory } from '../adapters/data-directory.js';
import { scryptPasswords } from '../adapters/passwords.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { asSystem } from '../app.js';
import { createBus } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { Rejection, reject } from '../commands/rejection.js';
import { panelState } from '../commands/state.js';
import { UserId } from '../events/ids.js';
import { begin, catchUp, type Folding } from '../events/replay.js';
import { openJournal } from '../journal.js';
import { CliError, print, printEither } from './output.js';

interface Common {
  readonly dataDir: string;
  readonly json: boolean;
}

/** A password that nobody can guess and anybody can type. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

/** The write side of a data directory whose panel is not running. */
export async function writing<T>(
  dataDir: string,
  use: (state: ReturnType<typeof panelState.initial>, dispatch: (command: AnyCommand) => void) => Promise<T>,
): Promise<T> {
  const directory = dataDirectory(dataDir);
  const lock = lockDirectory(directory.lock);
  try {
    const { log, anchor, complaint } = openJournal(directory);
    const state = begin(panelState);
    catchUp(log, [state as unknown as Folding]);
    const closed = complaint === null ? null : reject('STORAGE_READ_ONLY', { why: complaint });
    const dispatch = createBus({ log, state: state.state, now: Date.now, ownPorts: () => [], closed: () => closed });
    try {
      const result = await use(state.state, (command) => {
        const done = dispatch(command, asSystem('cli'));
        if (done instanceof Rejection) throw new CliError(done.message);
      });
      if (!closed) await anchor.flush();
      return result;
    } finally {
      log.close();
    }
  } finally {
    lock.release();
  }
}

/** `portolan admin …`: for the locked-out. It writes, so the panel must not be running. */
export function adminCommands(program: Command, common: (command: Command) => Common): void {
  const admin = program.command('admin').description('accounts, while the panel is stopped');

  admin
    .command('list')
    .description('the names of the admins')
    .action((_options: object, command: Command) => {
      const { dataDir, json } = common(command);
      const { log } = openJournal(dataDirectory(dataDir), { readonly: true });
      const state = begin(panelState);
      catchUp(log, [state as unknown as Folding]);
      log.close();
      for (const { id, username } of state.state.users.values())
        printEither(json, { id, username }, `${id}  ${username}`);
    });

  admin
    .command('create')
    .argument('<name>')
    .option('--password <password>', 'else a random one is printed')
    .description('a new admin')
    .action(async (username: string, options: { password?: string }, command: Command) => {
      const { dataDir, json } = common(command);
      const password = options.password ?? newPassword();
      const passwordHash = await scryptPasswords().hash(password);
      await writing(dataDir, async (_state, dispatch) =>
        dispatch({ type: 'CreateUser', data: { username, passwordHash } }),
      );
      tell(json, username, options.password === undefined ? password : null);
    });

  admin
    .command('reset-password')
    .argument('<name>')
    .option('--password <password>', 'else a random one is printed')
    .description('a new password for an admin; all of its sessions end')
    .action(async (username: string, options: { password?: string }, command: Command) => {
      const { dataDir, json } = common(command);
      const password = options.password ?? newPassword();
      const passwordHash = await scryptPasswords().hash(password);
      await writing(dataDir, async ({ users }, dispatch) => {
        const user = [...users.values()].find((known) => known.username === username);
        if (!user) throw new CliError(`There is no admin ${username}`);
        dispatch({ type: 'ChangeCredentials', data: { user: UserId.parse(user.id), username, passwordHash } });
      });
      tell(json, username, options.password === undefined ? password : null);
    });
}

function tell(json: boolean, username: string, password: string | null): void {
  if (json) return print(JSON.stringify({ username, ...(password === null ? {} : { password }) }));
  print(password === null ? `Done for ${username}` : `Password of ${username}: ${password}`);
}
