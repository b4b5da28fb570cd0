import { z } from 'zod';
import { get, post, routes } from '../route.js';
import { TextCode } from '../schemas/text-code.js';

/** The result for each chat; empty while the task runs. */
const Chats = z.array(z.object({ chatId: z.int(), success: z.boolean(), msg: z.string(), msgCode: TextCode }));

/** Backups sent through the chat bot. */
export const backupToChatRoutes = routes('/panel/api', {
  backupToChatBot: post('/backuptochatbot', {
    permission: { resource: 'backups', action: 'create' },
    summary: 'Send a new backup to every admin chat',
    aliases: ['/panel/api/backuptotgbot'],
    reply: Chats,
  }),
  createBackup: get('/inbounds/createbackup', {
    permission: { resource: 'backups', action: 'create' },
    summary: 'Send a new backup to every admin chat, by GET for clients of older panels',
    reply: Chats,
    acts: true,
  }),
});
