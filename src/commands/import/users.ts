import { type PanelEvent } from '../../events/catalog.js';
import { UserId } from '../../events/ids.js';
import { UserCreated } from '../../events/user.js';
import { message, type Text } from '../../messages/message.js';
import type { XuiUser } from '../ports/xui-panel.js';
import { wellFormed } from './json.js';
import { type Notes, shown } from './report.js';

/** The hash to keep of an account's password, made before the command: hashing is slow. */
export interface PreparedPassword {
  readonly user: number;
  readonly hash: string;
  /** What the database contains: a supported hash, the password itself, or nothing usable. */
  readonly was: 'hash' | 'clear' | 'useless';
}

const MAX_TEXT_CHARS = 256;

/** The accounts, with their numbers. */
export function importUsers(
  users: readonly XuiUser[],
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
    const item = message('import.user', { name: shown(username) || id });
    const password = prepared.get(id);
    const why = nameProblem(username) ?? (taken.has(username) ? message('import.userNameTaken') : null);
    if (why !== null || !password || id < 1 || numbers.has(id)) {
      notes.dropped('users', item, why ?? message('import.numberInvalid'));
      continue;
    }
    taken.add(username);
    numbers.add(id);
    if (password.was === 'clear') notes.changed('users', item, message('import.passwordHashed'));
    if (password.was === 'useless') notes.changed('users', item, message('import.passwordInvalid'));
    events.push(
      UserCreated({ user: UserId.parse(id), epoch: 0, credentials: { username, passwordHash: password.hash } }),
    );
  }
  if (events.length === 0) notes.noted('users', message('import.users'), message('import.noUser'));
  return events;
}

function nameProblem(username: string): Text | null {
  if (username === '') return message('import.userNoName');
  return username.length > MAX_TEXT_CHARS ? message('import.userNameLong', { most: MAX_TEXT_CHARS }) : null;
}
