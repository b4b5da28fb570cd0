import { BackupDelivered, ClientsWarnedOf, type Delivered } from '../events/chat-bot.js';
import type { ClientNumber } from '../events/ids.js';
import type { Command, Decider } from './command.js';

export type ChatBotCommand =
  | Command<
      'RecordClientsWarnedOf',
      { readonly expiry: readonly ClientNumber[]; readonly cap: readonly ClientNumber[] }
    >
  | Command<'RecordBackupDelivered', Delivered>;

export const chatBot: Decider<ChatBotCommand> = {
  /** Only of those that are still there. */
  RecordClientsWarnedOf({ expiry, cap }, { clients }) {
    const known = { expiry: expiry.filter((one) => clients.has(one)), cap: cap.filter((one) => clients.has(one)) };
    return known.expiry.length + known.cap.length === 0 ? [] : [ClientsWarnedOf(known)];
  },

  RecordBackupDelivered: (data) => [BackupDelivered(data)],
};
