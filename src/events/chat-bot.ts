import { z } from 'zod';
import { ClientNumber } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = () => 'chat-bot';

export const ClientWarningsSent = defineEvent('ClientWarningsSent', {
  summary: 'The admins were told by the bot that these clients are soon at the end of their term, or at their cap.',
  data: z.strictObject({ expiring: z.array(ClientNumber), nearCap: z.array(ClientNumber) }),
  stream,
});

export const BackupDelivered = defineEvent('BackupDelivered', {
  summary: 'A fresh backup left the machine: the bot sent it to chats of admins, or tried to.',
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
