import type { ChatButton } from '../commands/ports/chat-bot.js';
import type { Client } from '../events/client/client-document.js';
import type { ReadModels } from '../projections/read-models.js';
import { type Screen, screen } from './screen.js';
import { usedBy } from './soon.js';
import { bold, bytesText, labelled, name, type Phrase, type Words } from './words.js';

/** How one person stands, in every inbound, with buttons that only an admin gets. */
export function clientScreen(client: Client, read: ReadModels, words: Words, note?: Phrase): Screen {
  const lines = [...(note ? [note, blank] : []), ...usageLines(client, read, words)];
  return screen(lines, buttons(client, read, words));
}

/** The same for the person, without what is an admin's. */
export function ownScreen(clients: readonly Client[], read: ReadModels, words: Words): Screen {
  return screen(clients.flatMap((client) => [...usageLines(client, read, words), blank]));
}

const blank: Phrase = { html: '', plain: '' };

function usageLines(client: Client, read: ReadModels, words: Words): readonly Phrase[] {
  const { up, down } = read.usage.client(client);
  const seen = read.usage.lastOnline(client);
  return [
    bold(name(client.identity.email)),
    ...read.clients.siblings(client).flatMap((one) => standingLines(one, read, words)),
    words.t('Used: {used}, {up} up and {down} down', {
      used: bytesText(up + down),
      up: bytesText(up),
      down: bytesText(down),
    }),
    seen === 0 ? words.t('Never seen online') : words.t('Last online: {time}', { time: words.time(seen) }),
  ];
}

function standingLines(client: Client, read: ReadModels, words: Words): readonly Phrase[] {
  const inbound = read.inbounds.get(client.inbound);
  const { capBytes, expiresAt } = client.spec;
  return [
    labelled(name(inbound?.remark || inbound?.tag || String(client.inbound)), standing(client, words)),
    capBytes === 0
      ? words.t('Cap: none')
      : words.t('Cap: {cap}, {left} left', {
          cap: bytesText(capBytes),
          left: bytesText(Math.max(0, capBytes - usedBy(client, read))),
        }),
    expiryLine(expiresAt, words),
  ];
}

function expiryLine(expiresAt: number, words: Words): Phrase {
  if (expiresAt === 0) return words.t('Ends: never');
  if (expiresAt > 0) return words.t('Ends: {time}', { time: words.time(expiresAt) });
  return words.t('Ends: {days} days after the first use', { days: Math.round(-expiresAt / 86_400_000) });
}

function standing({ spec, depletion }: Client, words: Words): Phrase {
  if (!spec.enabled) return words.t('switched off');
  if (depletion === null) return words.t('may connect');
  return depletion.reason === 'cap' ? words.t('its bytes are used up') : words.t('its time is over');
}

function buttons(client: Client, read: ReadModels, words: Words): readonly (readonly ChatButton[])[] {
  const { number } = client;
  const isOn = read.clients.siblings(client).some(({ spec }) => spec.enabled);
  const flip = isOn
    ? { text: words.t('Disable').plain, data: `ask:off:${number}` }
    : { text: words.t('Enable').plain, data: `ask:on:${number}` };
  return [
    [flip, { text: words.t('Reset traffic').plain, data: `ask:reset:${number}` }],
    [{ text: words.t('Refresh').plain, data: `client:${number}` }],
  ];
}
