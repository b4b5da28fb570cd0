import type { Change, CommandContext, Done } from '../commands/bus.js';
import type { PlainCommand } from '../commands/counted.js';
import type { Backups } from '../commands/ports/backups.js';
import type { ChatService } from '../commands/ports/chat-bot.js';
import type { HostMonitor } from '../commands/ports/host.js';
import type { BackupDelivery } from '../commands/reactors/backup/backup-delivery.js';
import type { Rejection } from '../commands/rejection.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Alarms } from '../lib/alarms.js';
import type { ReadModels } from '../projections/read-models.js';
import type { Speech } from './words.js';

/** What the bot needs of the panel; the composition root gives it. */
export interface BotParts {
  readonly service: ChatService;
  readonly delivery: BackupDelivery;
  readonly backups: Pick<Backups, 'latest'>;
  readonly host: HostMonitor;
  readonly read: ReadModels;
  readonly alarms: Alarms;
  readonly dispatch: (command: PlainCommand, context: CommandContext) => Done | Rejection;
  /** What changes counters, after what was counted was recorded. */
  readonly change: Change;
  /** What the bot does by itself. */
  readonly dispatchAsBot: (command: PlainCommand) => Done | Rejection;
  /** How it speaks at this moment: the settings say in which language. */
  readonly speech: () => Speech;
  /** Why the core would not start with what is asked of it; null when it would. */
  readonly coreFlaw: () => Promise<Rejection | null>;
  /** The next event of one of these types after `position`, or null after `ms`. */
  readonly outcome: (
    position: number,
    types: readonly RecordedEvent['type'][],
    ms: number,
  ) => Promise<RecordedEvent | null>;
  readonly version: string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** The chats of admins, as the setting lists them. */
export function chatsIn(list: string): readonly number[] {
  const numbers = list.split(',').map((text) => Number(text.trim() === '' ? Number.NaN : text));
  return [...new Set(numbers.filter((chat) => Number.isSafeInteger(chat) && chat !== 0))];
}
