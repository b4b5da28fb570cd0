import { Rejection } from '../../../commands/rejection.js';
import type { Delivered } from '../../../events/chat-bot.js';
import { within } from '../../../lib/time/within.js';
import { type HttpRequest, Message, type Needs } from '../context.js';
import type { backupToChatRoutes } from '../contract/backup-to-chat.js';
import type { Handlers } from '../mount.js';

/** How long a caller waits, in ms; the sending goes on without it. */
const PATIENCE_MS = 30_000;

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
  const sent = await within(PATIENCE_MS, sending, () => null);
  if (sent !== null) return sent instanceof Rejection ? sent : outcome(sent, say);
  void sending.then((late) => {
    if (late instanceof Rejection)
      alarms.tell({ title: 'The backup was not sent by the bot', body: late.message, severity: 'error' });
  });
  return new Message('This takes a while and goes on; a notification tells how it ended.', []);
}

function outcome({ chats }: Delivered, say: HttpRequest['say']): Message {
  const rows = chats.map(({ chatId, error }) => ({
    chatId,
    success: error === null,
    msg: error === null ? '' : say(error),
  }));
  return rows.every(({ success }) => success)
    ? new Message('The backup was sent to every admin.', rows)
    : new Message('Some chats did not get the backup.', rows);
}
