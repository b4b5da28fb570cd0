import { createChatService } from '../adapters/chat-bot/service.js';
import { type BotOptions, ChatBot } from '../chat-bot/bot.js';
import type { BotParts } from '../chat-bot/parts.js';
import { type Speech, Words } from '../chat-bot/words.js';
import { asSystem } from '../commands/bus.js';
import type { Backups } from '../commands/ports/backups.js';
import type { HostMonitor } from '../commands/ports/host.js';
import type { Web } from '../commands/ports/web.js';
import { BackupDelivery } from '../commands/reactors/backup/backup-delivery.js';
import type { Rejection } from '../commands/rejection.js';
import { firstEvent } from '../events/log/first-event.js';
import type { Settings } from '../events/settings/settings.js';
import { explained, translated } from '../http/language/translate.js';
import { coreRejection, runnable } from '../http/panel/codec/template.js';
import { zoneNamed } from '../lib/time/calendar.js';
import { directionOf, languageNamed } from '../messages/language.js';
import { type Panel } from './panel.js';

interface World {
  readonly web: Web;
  readonly host: HostMonitor;
  readonly backups: Pick<Backups, 'create' | 'latest'>;
  readonly version: string;
  readonly warn: (message: string, fields?: object) => void;
}

type BotPanel = Pick<Panel, 'read' | 'core' | 'alarms' | 'dispatch' | 'change' | 'log' | 'now'>;

/** Makes the bot of a panel, which runs from `begin` to `stop` as the settings say, and what sends backups through it. */
export function createChatBot(panel: BotPanel, world: World, options: BotOptions = {}) {
  const { read, core, alarms, dispatch, change, log, now } = panel;
  const { web, host, backups, version, warn } = world;
  const speech = (): Speech => speechOf(read.settings.current());
  let bot: ChatBot | null = null;
  const delivery = new BackupDelivery({
    backups,
    messenger: () => bot?.messenger() ?? { line: null, stopped: null, chats: [] },
    caption: ({ position, sealed }) => captionOf(new Words(speech()), now(), position, sealed),
    now,
    warn,
  });
  const parts: BotParts = {
    service: createChatService(web),
    ...{ delivery, backups, host, read, alarms, dispatch, change, speech, version, now, warn },
    outcome: (position, types, ms) => firstEvent(log, position, types, ms),
    dispatchAsBot: (command) => dispatch(command, asSystem('chat-bot')),
    coreFlaw: () => coreFlaw(core, read),
  };
  bot = new ChatBot(parts, options);
  return { bot, delivery };
}

function speechOf({ chatBotLang, timeLocation }: Settings): Speech {
  const language = languageNamed(chatBotLang.split('-', 1)[0]) ?? 'en';
  return {
    translate: (text) => translated(text, language),
    explain: (rejection) => explained(rejection, language),
    rightToLeft: directionOf(language) === 'rtl',
    zone: zoneNamed(timeLocation),
  };
}

function captionOf(words: Words, now: number, position: number, sealed: boolean): string {
  const lines = [
    words.t('Backup of {time}, up to event {position}', { time: words.time(now), position }),
    sealed
      ? words.t('Its key is wrapped by the backup passphrase: keep that elsewhere.')
      : words.t('It is not sealed: who has this file has everything. Set a backup passphrase to change that.'),
  ];
  return lines.map(({ html }) => html).join('\n');
}

/** Why the core would not start with what is asked of it now. */
async function coreFlaw(core: Panel['core'], read: Panel['read']): Promise<Rejection | null> {
  try {
    await core.config.test({ template: read.desired.template(), inbounds: runnable(read) });
    return null;
  } catch (error) {
    return coreRejection(error);
  }
}
