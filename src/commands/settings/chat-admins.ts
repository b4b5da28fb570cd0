import { sameName } from '../../lib/identifiers.js';
import { listedChats } from '../../lib/listed-chats.js';
import { message } from '../../messages/message.js';
import type { SettingProblem } from '../rejection.js';
import type { PanelState } from '../state.js';

/**
 * The list of chats with the numbers of the admins instead of their names: a number stays with its account when an admin is
 * renamed, and is never given to another one.
 */
export function withAdminNumbers(list: string, { users }: PanelState): string {
  const entries = listedChats(list);
  if (entries.every(({ admin }) => admin === null)) return list;
  const numberOf = (name: string) => [...users.values()].find(({ username }) => sameName(username, name))?.id ?? name;
  return entries.map(({ chat, admin }) => (admin === null ? `${chat}` : `${chat}=${numberOf(admin)}`)).join(', ');
}

/** Chats of admins who do not exist. An entry that was there before may stay: its chat is refused. */
export function chatAdminProblems(next: string, state: PanelState): readonly SettingProblem[] {
  const before = new Set(listedChats(state.settings.chatBotChatId).map(({ chat, admin }) => `${chat}=${admin}`));
  return listedChats(next).flatMap(({ chat, admin }): readonly SettingProblem[] =>
    admin === null || state.users.has(Number(admin)) || before.has(`${chat}=${admin}`)
      ? []
      : [{ key: 'chatBotChatId', why: message('settings.chatAdminUnknown', { name: admin }) }],
  );
}
