import { hostname } from 'node:os';
import { mayConnect } from '../events/client/client-document.js';
import type { MachineCore } from '../projections/core/core-state.js';
import type { Caller } from './caller.js';
import type { BotParts } from './parts.js';
import { type Screen, screen } from './screen.js';
import { bold, name, type Phrase, type Words } from './words.js';

/** The state of the host and the core, and of the clients and the last verified backup if the admin may see them. */
export function statusScreen(
  { host, backups, version, now }: BotParts,
  { access, read }: Pick<Caller, 'access' | 'read'>,
  words: Words,
): Screen {
  const { cpu, mem, disk, load, netIO, uptime } = host.latest;
  const { lastGood } = backups.latest();
  return screen([
    bold(words.t('bot.statusTitle', { version, host: name(hostname()) })),
    coreLine(read.records.core().process, words),
    words.t('bot.processor', { percent: Math.round(cpu), load: load.load1.toFixed(2) }),
    words.t('bot.memory', { used: mem.current, total: mem.total }),
    words.t('bot.disk', { used: disk.current, total: disk.total }),
    words.t('bot.network', {
      up: Math.round(netIO.up),
      down: Math.round(netIO.down),
    }),
    uptimeLine(uptime, words),
    ...(access.scopeOf('clients:read') === null ? [] : [clientsLine(read, words, now())]),
    ...(access.scopeOf('backups:read') === null
      ? []
      : [lastGood === null ? words.t('bot.noBackup') : words.t('bot.lastBackup', { at: lastGood.at })]),
  ]);
}

/** In hours for the first two days. */
function uptimeLine(seconds: number, words: Words): Phrase {
  const hours = Math.floor(seconds / 3600);
  return hours < 48
    ? words.t('bot.uptimeHours', { count: hours })
    : words.t('bot.uptimeDays', { count: Math.floor(hours / 24) });
}

function coreLine({ state, version, since, error }: MachineCore['process'], words: Words): Phrase {
  if (state === 'running') return words.t('bot.coreRunning', { version, at: since });
  return error === null ? words.t('bot.coreStopped') : words.t('bot.coreFailed', { why: error });
}

function clientsLine(read: BotParts['read'], words: Words, now: number): Phrase {
  let [all, able] = [0, 0];
  for (const client of read.clients.all()) {
    if (!read.clients.isFirst(client)) continue;
    all += 1;
    if (read.clients.siblings(client).some(mayConnect)) able += 1;
  }
  const online = read.usage.onlineEmails(now).length;
  return words.t('bot.clients', { all, able, online });
}
