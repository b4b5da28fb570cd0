import { Rejection } from '../../../../commands/rejection.js';
import type { Delivered } from '../../../../events/chat-bot.js';
import { within } from '../../../../lib/time/within.js';
import { codeOf, message } from '../../../../messages/message.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { backupToChatRoutes } from '../../contract/backups/to-chat.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';

/** How long a caller waits, in ms. Later results are notifications. */
const TIMEOUT_MS = 30_000;

type Services = Needs<'backupDelivery' | 'alarms'>;

export const backupToChatHandlers: Handlers<typeof backupToChatRoutes, Services> = {
  backupToChatBot: (_, services, request) => send(services, request),
  createBackup: (_, services, request) => send(services, request),
};

async function send(
  { backupDelivery, alarms }: Services,
  { dispatch, say }: HttpRequest,
): Promise<Message | Rejection> {
  const sending = backupDelivery.deliver(dispatch);
  const sent = await within(TIMEOUT_MS, sending, () => null);
  if (sent !== null) return sent instanceof Rejection ? sent : outcome(sent, say);
  void sending.then((late) => {
    if (late instanceof Rejection)
      alarms.notify({ title: message('bot.backupNotSent'), body: late.text, severity: 'error' });
  });
  return new Message(message('common.stillRunning'), []);
}

function outcome({ chats }: Delivered, say: HttpRequest['say']): Message {
  const rows = chats.map(({ chatId, error }) => ({
    chatId,
    success: error === null,
    msg: error === null ? '' : say(error),
    msgCode: codeOf(error),
  }));
  return rows.every(({ success }) => success)
    ? new Message(message('bot.backupSent'), rows)
    : new Message(message('bot.backupPartlySent'), rows);
}
