import { z } from 'zod';
import { ClientNumber } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = () => 'chat-bot';

export const ClientWarningsSent = defineEvent('ClientWarningsSent', {
  summary: 'The chat bot warned the admins of clients that are close to their expiry or cap.',
  data: z.strictObject({ expiring: z.array(ClientNumber), nearCap: z.array(ClientNumber) }),
  stream,
});

export const BackupDelivered = defineEvent('BackupDelivered', {
  summary: 'The chat bot sent a backup to the chats of the admins, or tried to.',
  data: z.strictObject({
    /** The last event in it. */
    position: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    /** Its key is wrapped by a passphrase. */
    encrypted: z.boolean(),
    /** Chats by their number; `error` is null where it arrived. */
    chats: z.array(z.strictObject({ chatId: z.int(), error: z.string().nullable() })),
  }),
  stream,
});
export type Delivered = Parameters<typeof BackupDelivered>[0];

export const chatBotEvents = [ClientWarningsSent, BackupDelivered] as const;
