import { createChatService } from '../adapters/chat-bot/service.js';
import { backupCaption } from '../chat-bot/backup-caption.js';
import { type BotOptions, ChatBot } from '../chat-bot/bot.js';
import { Words } from '../chat-bot/words.js';
import type { Refusals } from '../commands/access/refusals.js';
import type { Change } from '../commands/bus.js';
import type { Backups } from '../commands/ports/backups.js';
import type { HostMonitor } from '../commands/ports/host.js';
import type { Web } from '../commands/ports/web.js';
import { BackupDelivery } from '../commands/reactors/backup/backup-delivery.js';
import { Rejection } from '../commands/rejection.js';
import { firstEvent } from '../events/log/first-event.js';
import { coreRejection, runnable } from '../http/panel/codec/template.js';
import { type Panel } from './panel.js';

interface ChatBotParts {
  readonly web: Web;
  readonly host: HostMonitor;
  readonly backups: Pick<Backups, 'create' | 'latest'>;
  readonly refusals: Refusals;
  /** Waits until the cluster has confirmed what was appended; null = it has. */
  readonly confirmed: () => Promise<Rejection | null>;
  readonly version: string;
  readonly warn: (message: string, fields?: object) => void;
}

type BotPanel = Pick<Panel, 'read' | 'core' | 'alarms' | 'dispatch' | 'change' | 'log' | 'now'>;

/** The chat bot of a panel and the delivery of backups through it. Between `begin` and `stop` the bot follows the settings. */
export function createChatBot(panel: BotPanel, parts: ChatBotParts, options: BotOptions = {}) {
  const { read, core, alarms, dispatch, change, log, now } = panel;
  const { web, host, backups, refusals, confirmed, version, warn } = parts;
  let bot: ChatBot | null = null;
  const delivery = new BackupDelivery({
    backups,
    messenger: () => bot?.messenger('backups:export') ?? { connection: null, stopped: null, chats: [] },
    caption: (file) => backupCaption(new Words(read.settings.current()), now(), file),
    now,
    warn,
  });
  bot = new ChatBot(
    {
      service: createChatService(web),
      core: {
        problem: () => coreProblem(core, read),
        outcome: (position, types, ms) => firstEvent(log, position, types, ms),
      },
      backups: { latest: () => backups.latest(), deliver: (record) => delivery.deliver(record) },
      ...{ refusals, host, read, alarms, dispatch, version, now, warn },
      change: confirming(change, confirmed),
    },
    options,
  );
  return { bot, delivery };
}

/** A change that is done once the cluster has confirmed it. */
const confirming =
  (change: Change, confirmed: ChatBotParts['confirmed']): Change =>
  async (make, context) => {
    const done = await change(make, context);
    return done instanceof Rejection ? done : ((await confirmed()) ?? done);
  };

/** Why the core would not start with its present configuration; null when it would. */
async function coreProblem(core: Panel['core'], read: Panel['read']): Promise<Rejection | null> {
  try {
    await core.config.test({ template: read.desired.template(), inbounds: runnable(read) });
    return null;
  } catch (error) {
    return coreRejection(error);
  }
}
