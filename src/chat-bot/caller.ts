import { type Rejection, reject } from '../commands/rejection.js';
import { type Access, FULL_ACCESS } from '../events/access/access-of.js';
import type { Actor } from '../events/log/event.js';
import { listedChats } from '../lib/listed-chats.js';
import type { PermissionName } from '../lib/permissions.js';
import type { ReadModels } from '../projections/read-models.js';

/** An admin who writes to the bot: what they may do and see. */
export interface Caller {
  readonly access: Access;
  /** As the log names them: the admin to whom the chat belongs, or the person in a chat with full access. */
  readonly actor: Actor;
  /** Without the clients that the admin may not see. */
  readonly read: ReadModels;
}

/** A person in the chat. */
interface Person {
  readonly id: number;
  readonly name: string;
}

/** The caller behind a person; null = not an admin, or one whose account was deleted. */
export function callerOf({ id, name }: Person, read: ReadModels): Caller | null {
  const listed = listedChats(read.settings.current().chatBotChatId).find(({ chat }) => chat === id);
  const access = listed && accessIn(listed.admin, read);
  if (!access) return null;
  const user = access.admin === null ? undefined : read.admins.users().users.get(access.admin);
  const actor: Actor = user
    ? { kind: 'user', id: String(user.id), name: user.username, ip: null, role: access.role }
    : { kind: 'bot', id: String(id), name, ip: null };
  return { access, actor, read: access.isLimited ? read.limitedTo(access) : read };
}

/** Why the caller may not do this, or null. Only permissions on clients can be limited, and `read` is limited to them. */
export function refusalOf({ access }: Caller, permission: PermissionName | null): Rejection | null {
  return permission === null || access.scopeOf(permission) !== null ? null : reject('FORBIDDEN', { permission });
}

/** The chats whose admin has all of these permissions for the whole panel. */
export function chatsWith(read: ReadModels, ...permissions: readonly PermissionName[]): readonly number[] {
  return listedChats(read.settings.current().chatBotChatId).flatMap(({ chat, admin }) => {
    const access = accessIn(admin, read);
    return access && permissions.every((one) => access.scopeOf(one) === 'all') ? [chat] : [];
  });
}

function accessIn(admin: string | null, { admins }: ReadModels): Access | null {
  if (admin === null) return FULL_ACCESS;
  return admins.users().users.has(Number(admin)) ? admins.accessOf(Number(admin)) : null;
}
