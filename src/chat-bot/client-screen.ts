import type { ChatButton } from '../commands/ports/chat-bot.js';
import type { Client } from '../events/client/client-document.js';
import type { ReadModels } from '../projections/read-models.js';
import { actionPermissions, type ClientAction } from './actions.js';
import type { Caller } from './caller.js';
import { usedBy } from './ending-soon.js';
import { type Screen, screen } from './screen.js';
import { bold, labelled, name, type Phrase, type Words } from './words.js';

/** The state of a client in every inbound, with the buttons that the admin may press. */
export function clientScreen(client: Client, caller: Caller, words: Words, note?: Phrase): Screen {
  const lines = [...(note ? [note, blank] : []), ...usageLines(client, caller.read, words)];
  return screen(lines, buttons(client, caller, words));
}

/** The same for the clients themselves, without buttons. */
export function ownScreen(clients: readonly Client[], read: ReadModels, words: Words): Screen {
  return screen(clients.flatMap((client) => [...usageLines(client, read, words), blank]));
}

const blank: Phrase = { html: '', plain: '' };

function usageLines(client: Client, read: ReadModels, words: Words): readonly Phrase[] {
  const { up, down } = read.usage.client(client);
  const seen = read.usage.lastOnline(client);
  return [
    bold(name(client.identity.email)),
    ...read.clients.siblings(client).flatMap((one) => statusLines(one, read, words)),
    words.t('bot.used', {
      ...{ used: up + down, up, down },
    }),
    seen === 0 ? words.t('bot.neverOnline') : words.t('bot.lastOnline', { at: seen }),
  ];
}

function statusLines(client: Client, read: ReadModels, words: Words): readonly Phrase[] {
  const inbound = read.inbounds.get(client.inbound);
  const { capBytes, expiresAt } = client.spec;
  return [
    labelled(name(inbound?.remark || inbound?.tag || String(client.inbound)), statusPhrase(client, words)),
    capBytes === 0
      ? words.t('bot.noCap')
      : words.t('bot.cap', {
          cap: capBytes,
          left: Math.max(0, capBytes - usedBy(client, read)),
        }),
    expiryLine(expiresAt, words),
  ];
}

function expiryLine(expiresAt: number, words: Words): Phrase {
  if (expiresAt === 0) return words.t('bot.neverExpires');
  if (expiresAt > 0) return words.t('bot.expires', { at: expiresAt });
  return words.t('bot.expiresAfterUse', { count: Math.round(-expiresAt / 86_400_000) });
}

function statusPhrase({ spec, depletion }: Client, words: Words): Phrase {
  if (!spec.enabled) return words.t('bot.disabled');
  if (depletion === null) return words.t('bot.mayConnect');
  return depletion.reason === 'cap' ? words.t('bot.capUsedUp') : words.t('bot.expired');
}

function buttons(client: Client, caller: Caller, words: Words): readonly (readonly ChatButton[])[] {
  const { access, read } = caller;
  const { number } = client;
  const isOn = read.clients.siblings(client).some(({ spec }) => spec.enabled);
  const flip = isOn
    ? { text: words.t('bot.disable').plain, data: `ask:off:${number}` }
    : { text: words.t('bot.enable').plain, data: `ask:on:${number}` };
  const reset = { text: words.t('bot.resetTraffic').plain, data: `ask:reset:${number}` };
  const may = (action: ClientAction): boolean => access.scopeOf(actionPermissions[action]) !== null;
  return [
    [...(may('off') ? [flip] : []), ...(may('reset') ? [reset] : [])],
    [{ text: words.t('bot.refresh').plain, data: `client:${number}` }],
  ].filter((row) => row.length > 0);
}
