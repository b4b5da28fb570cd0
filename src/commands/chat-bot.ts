import { BackupDelivered, ClientWarningsSent, type Delivered } from '../events/chat-bot.js';
import type { ClientNumber } from '../events/ids.js';
import type { Command, Decider } from './command.js';

export type ChatBotCommand =
  | Command<
      'RecordClientWarnings',
      { readonly expiring: readonly ClientNumber[]; readonly nearCap: readonly ClientNumber[] }
    >
  | Command<'RecordBackupDelivered', Delivered>;

export const chatBot: Decider<ChatBotCommand> = {
  /** Skips deleted clients. */
  RecordClientWarnings({ expiring, nearCap }, { clients }) {
    const known = {
      expiring: expiring.filter((one) => clients.has(one)),
      nearCap: nearCap.filter((one) => clients.has(one)),
    };
    return known.expiring.length + known.nearCap.length === 0 ? [] : [ClientWarningsSent(known)];
  },

  RecordBackupDelivered: (data) => [BackupDelivered(data)],
};
