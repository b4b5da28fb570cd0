import { z } from 'zod';
import { get, post, routes } from './route.js';

/** Chat by chat; empty while it goes on. */
const Chats = z.array(z.object({ chatId: z.int(), success: z.boolean(), msg: z.string() }));

/** Backups that leave through the chat bot. */
export const backupToChatRoutes = routes('/panel/api', {
  backupToChatBot: post('/backuptochatbot', {
    summary: 'Send a fresh backup to every chat of an admin',
    aliases: ['/panel/api/backuptotgbot'],
    reply: Chats,
  }),
  createBackup: get('/inbounds/createbackup', {
    summary: 'The same for clients of older panels, which ask for it by GET',
    reply: Chats,
    acts: true,
  }),
});
