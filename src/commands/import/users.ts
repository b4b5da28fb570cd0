import { type PanelEvent } from '../../events/catalog.js';
import { UserId } from '../../events/ids.js';
import { UserCreated } from '../../events/user.js';
import type { ForeignUser } from '../ports/foreign-panel.js';
import { wellFormed } from './json.js';
import { type Notes, shown } from './report.js';

/** The hash to keep of an account's password, made before the command: hashing is slow. */
export interface PreparedPassword {
  readonly user: number;
  readonly hash: string;
  /** What the database had: a hash that logins can be compared with, the password itself, or nothing of use. */
  readonly was: 'hash' | 'clear' | 'useless';
}

const LONGEST = 256;

/** The accounts, under their own numbers. */
export function importUsers(
  users: readonly ForeignUser[],
  passwords: readonly PreparedPassword[],
  notes: Notes,
): PanelEvent[] {
  const events: PanelEvent[] = [];
  const taken = new Set<string>();
  const numbers = new Set<number>();
  const prepared = new Map(passwords.map((password) => [password.user, password]));
  notes.rows('users', users.length);
  for (const { id, username: raw } of users) {
    const username = wellFormed(raw);
    const item = `user ${shown(username) || String(id)}`;
    const password = prepared.get(id);
    const why = nameProblem(username) ?? (taken.has(username) ? 'there is another account of that name' : null);
    if (why !== null || !password || id < 1 || numbers.has(id)) {
      notes.dropped('users', item, why ?? 'its number is none of an account, or another has it');
      continue;
    }
    taken.add(username);
    numbers.add(id);
    if (password.was === 'clear') notes.changed('users', item, 'its password was kept in clear and is hashed now');
    if (password.was === 'useless')
      notes.changed('users', item, 'its password cannot be used: set one with portolan admin reset-password');
    events.push(
      UserCreated({ user: UserId.parse(id), epoch: 0, credentials: { username, passwordHash: password.hash } }),
    );
  }
  if (events.length === 0) notes.noted('users', 'users', 'there is no account: the panel makes one at its first start');
  return events;
}

function nameProblem(username: string): string | null {
  if (username === '') return 'it has no name';
  return username.length > LONGEST ? `its name is longer than ${LONGEST} characters` : null;
}
