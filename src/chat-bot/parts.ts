import type { Refusals } from '../commands/access/refusals.js';
import type { Change, CommandContext, Done } from '../commands/bus.js';
import type { PlainCommand } from '../commands/counter-commands.js';
import type { Backups } from '../commands/ports/backups.js';
import type { ChatService } from '../commands/ports/chat-bot.js';
import type { HostMonitor } from '../commands/ports/host.js';
import type { BackupDelivery } from '../commands/reactors/backup/backup-delivery.js';
import type { Rejection } from '../commands/rejection.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Alarms } from '../lib/alarms.js';
import type { ReadModels } from '../projections/read-models.js';

/** What the bot needs of the panel. */
export interface BotParts {
  readonly service: ChatService;
  readonly backups: Pick<Backups, 'latest'> & Pick<BackupDelivery, 'deliver'>;
  readonly host: HostMonitor;
  readonly read: ReadModels;
  readonly alarms: Alarms;
  readonly dispatch: (command: PlainCommand, context: CommandContext) => Done | Rejection;
  /** Dispatches a command that depends on traffic counters, after the traffic so far has been recorded. */
  readonly change: Change;
  readonly core: CoreChecks;
  readonly refusals: Pick<Refusals, 'add'>;
  readonly version: string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

interface CoreChecks {
  /** Why the core would not start with its present configuration; null when it would. */
  readonly problem: () => Promise<Rejection | null>;
  /** The next event of one of these types after `position`, or null after `ms`. */
  readonly outcome: (
    position: number,
    types: readonly RecordedEvent['type'][],
    ms: number,
  ) => Promise<RecordedEvent | null>;
}
