import { z } from 'zod';
import { Bytes, Position } from './fields.js';
import { ClientNumber } from './ids.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

const stream = () => 'chat-bot';

export const ClientWarningsSent = defineEvent('ClientWarningsSent', {
  summary: 'The chat bot warned the admins of clients that are close to their expiry or cap.',
  recordedBy: {
    RecordClientWarnings:
      'the bot finds clients within `expireDiff` or `trafficDiff`; once for each expiry and each cap',
  },
  data: z.strictObject({
    expiring: z.array(ClientNumber).describe('Clients close to their expiry.'),
    nearCap: z.array(ClientNumber).describe('Clients close to their traffic cap.'),
  }),
  stream,
});

export const BackupDelivered = defineEvent('BackupDelivered', {
  summary: 'The chat bot sent a backup to the chats of the admins, or tried to.',
  recordedBy: { RecordBackupDelivered: 'the delivery has ended for all chats' },
  data: z.strictObject({
    position: Position.describe('Position of the last event in the backup.'),
    bytes: Bytes.describe('Size of the backup file.'),
    encrypted: z.boolean().describe('Whether the key in the backup is encrypted with a passphrase.'),
    chats: z
      .array(
        z.strictObject({
          chatId: z.int().meta({ unit: 'id', description: 'Chat id in the messenger.' }),
          error: textSchema.nullable().describe('Why the chat did not get the file; null = it did.'),
        }),
      )
      .describe('The result for each chat.'),
  }),
  stream,
});
export type Delivered = Parameters<typeof BackupDelivered>[0];

export const chatBotEvents = [ClientWarningsSent, BackupDelivered] as const;
