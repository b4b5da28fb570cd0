/** A chat of the setting `chatBotChatId`, such as `72` or `72=3`. */
interface ListedChat {
  readonly chat: number;
  /** The admin to whom the chat belongs; null = none, the chat has full access. */
  readonly admin: string | null;
}

/** The chats in the list, without duplicates and invalid entries. An entry with an admin has precedence: it permits less. */
export function listedChats(list: string): readonly ListedChat[] {
  const found = new Map<number, string | null>();
  for (const entry of list.split(',')) {
    const [id = '', ...rest] = entry.split('=');
    const chat = Number(id.trim() === '' ? Number.NaN : id);
    const admin = rest.length === 0 ? null : rest.join('=').trim();
    if (Number.isSafeInteger(chat) && chat !== 0 && typeof found.get(chat) !== 'string') found.set(chat, admin);
  }
  return [...found].map(([chat, admin]) => ({ chat, admin }));
}
