import { hostname } from 'node:os';
import { mayConnect } from '../events/client/client-document.js';
import type { CoreState } from '../projections/core/core-state.js';
import type { BotParts } from './parts.js';
import { type Screen, screen } from './screen.js';
import { bold, bytesText, name, type Phrase, type Words } from './words.js';

/** The machine, the core, who is on it, and the last backup that is known to be good. */
export function statusScreen({ host, read, backups, version, now }: BotParts, words: Words): Screen {
  const { cpu, mem, disk, load, netIO, uptime } = host.latest;
  const { lastGood } = backups.latest();
  return screen([
    bold(words.t('Portolan {version} on {host}', { version, host: name(hostname()) })),
    coreLine(read.core().process, words),
    words.t('Processor: {percent}%, load {load}', { percent: Math.round(cpu), load: load.load1.toFixed(2) }),
    words.t('Memory: {used} of {total}', { used: bytesText(mem.current), total: bytesText(mem.total) }),
    words.t('Disk: {used} of {total}', { used: bytesText(disk.current), total: bytesText(disk.total) }),
    words.t('Network: {up}/s up, {down}/s down', {
      up: bytesText(Math.round(netIO.up)),
      down: bytesText(Math.round(netIO.down)),
    }),
    uptimeLine(uptime, words),
    peopleLine(read, words, now()),
    lastGood === null
      ? words.t('Last good backup: none yet')
      : words.t('Last good backup: {time}', { time: words.time(lastGood.at) }),
  ]);
}

/** In hours for the first two days. */
function uptimeLine(seconds: number, words: Words): Phrase {
  const hours = Math.floor(seconds / 3600);
  return hours < 48
    ? words.t('The machine runs for {hours} hours', { hours })
    : words.t('The machine runs for {days} days', { days: Math.floor(hours / 24) });
}

function coreLine({ state, version, since, error }: CoreState['process'], words: Words): Phrase {
  if (state === 'running')
    return words.t('Core: version {version} runs since {time}', { version, time: words.time(since) });
  return state === 'stop' ? words.t('Core: stopped') : words.t('Core: failed, {why}', { why: words.told(error) });
}

function peopleLine(read: BotParts['read'], words: Words, now: number): Phrase {
  let [all, able] = [0, 0];
  for (const client of read.clients.all()) {
    if (!read.clients.isFirst(client)) continue;
    all += 1;
    if (read.clients.siblings(client).some(mayConnect)) able += 1;
  }
  const online = read.usage.onlineEmails(now).length;
  return words.t('Clients: {all}, {able} may connect, {online} online', { all, able, online });
}
