import { z } from 'zod';
import { post, routes } from './route.js';

/** Backups that leave through the chat bot. */
export const backupToChatRoutes = routes('/panel/api', {
  backupToChatBot: post('/backuptochatbot', {
    summary: 'Send a fresh backup to every chat of an admin',
    aliases: ['/panel/api/backuptotgbot'],
    /** Chat by chat; empty while it goes on. */
    reply: z.array(z.object({ chatId: z.int(), success: z.boolean(), msg: z.string() })),
  }),
});
