import { z } from 'zod';
import type { ChatBatch, ChatUpdate } from '../../commands/ports/chat-bot.js';
import { rejected } from './failure.js';

/** Updates in one answer, as the bot API limits them. */
const MAX_UPDATES = 100;
/** Characters; a longer text is not a command. */
const MAX_TEXT_CHARS = 256;
const MAX_NAME_CHARS = 64;

const Person = z.object({
  id: z.int(),
  is_bot: z.boolean().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  username: z.string().optional(),
});
const Place = z.object({ message_id: z.int(), date: z.int(), chat: z.object({ id: z.int() }) });
const Message = Place.extend({
  from: Person,
  text: z.string(),
  /** The sender did not write a forwarded message, nor one that is sent in the name of a group. */
  forward_origin: z.undefined().optional(),
  forward_date: z.undefined().optional(),
  sender_chat: z.undefined().optional(),
  via_bot: z.undefined().optional(),
});
const Press = z.object({ id: z.string().max(200), from: Person, message: Place, data: z.string() });
const Numbered = z.object({ update_id: z.int() });
const WithMessage = z.object({ message: Message });
const WithPress = z.object({ callback_query: Press });

/**
 * The updates in an answer that are for the bot and not older than `before`. The server may be untrusted: throws `ChatError`
 * for an answer that is not a list.
 */
export function batchOf(answer: unknown, before: number | null): ChatBatch {
  let next = before;
  const updates: ChatUpdate[] = [];
  if (!Array.isArray(answer)) throw rejected(502, 'the answer is not a list of updates');
  for (const one of answer.slice(0, MAX_UPDATES) as unknown[]) {
    const numbered = Numbered.safeParse(one);
    if (!numbered.success || numbered.data.update_id < (before ?? 0)) continue;
    next = Math.max(next ?? 0, numbered.data.update_id + 1);
    const update = messageIn(one) ?? pressIn(one);
    if (update) updates.push({ id: numbered.data.update_id, ...update });
  }
  return { updates, next };
}

type Unnumbered = Omit<ChatUpdate, 'id'>;

function messageIn(answer: unknown): Unnumbered | undefined {
  const { data } = WithMessage.safeParse(answer);
  if (!data || data.message.from.is_bot) return undefined;
  const { date, chat, from, text } = data.message;
  return { at: date * 1000, chat: chat.id, from: personOf(from), content: text.slice(0, MAX_TEXT_CHARS) };
}

function pressIn(answer: unknown): Unnumbered | undefined {
  const { data: found } = WithPress.safeParse(answer);
  if (!found || found.callback_query.from.is_bot) return undefined;
  const { id: press, from, message, data } = found.callback_query;
  const content = { press, message: message.message_id, data: data.slice(0, MAX_TEXT_CHARS) };
  return { at: message.date * 1000, chat: message.chat.id, from: personOf(from), content };
}

function personOf({ id, first_name = '', last_name = '', username = '' }: z.output<typeof Person>): ChatUpdate['from'] {
  const full = clean(`${first_name} ${last_name}`) || clean(username) || String(id);
  return { id, name: full.slice(0, MAX_NAME_CHARS) };
}

/** Without characters that are invisible or change the direction of the text. */
function clean(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').trim();
}
