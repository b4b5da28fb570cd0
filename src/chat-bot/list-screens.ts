import type { ChatButton } from '../commands/ports/chat-bot.js';
import { hidesSecretsOf } from '../events/access/secret-readers.js';
import type { Client } from '../events/client/client-document.js';
import type { ReadModels } from '../projections/read-models.js';
import type { Caller } from './caller.js';
import { endingSoon, usedBy } from './ending-soon.js';
import { type Screen, screen } from './screen.js';
import { bold, labelled, name, type Phrase, safe, type Words } from './words.js';

/** Rows of a list without pages. */
const MAX_LISTED = 50;
const TOP = 10;
/** Buttons on a page of search results. */
const PAGE = 8;
/** Bytes of the query in a button; the action and the page take the rest of the 64. */
const MAX_QUERY_CHARS = 48;
const MAX_LABEL_CHARS = 40;

export function onlineScreen(read: ReadModels, words: Words, now: number): Screen {
  const emails = [...read.usage.onlineEmails(now)].sort();
  if (emails.length === 0) return screen([words.t('bot.noneOnline')]);
  return listed(words.t('bot.online', { count: emails.length }), emails.map(name), words);
}

/** The clients with the most traffic since the counters were last reset. */
export function topScreen(read: ReadModels, words: Words): Screen {
  const top: (readonly [Client, number])[] = [];
  for (const client of read.clients.all()) {
    if (!read.clients.isFirst(client)) continue;
    const used = usedBy(client, read);
    if (used === 0 || (top.length === TOP && used <= (top.at(-1)?.[1] ?? 0))) continue;
    top.splice(top.findIndex(([, less]) => less < used) >>> 0, 0, [client, used]);
    top.length = Math.min(top.length, TOP);
  }
  if (top.length === 0) return screen([words.t('bot.noTraffic')]);
  const rows = top.map(([client, used]) => labelled(name(client.identity.email), safe(words.bytes(used))));
  return listed(words.t('bot.mostTraffic'), rows, words);
}

/** The clients that are close to their expiry or cap. */
export function soonScreen(read: ReadModels, words: Words, now: number): Screen {
  const { expireDiff, trafficDiff } = read.settings.current();
  if (expireDiff === 0 && trafficDiff === 0) return screen([words.t('bot.limitsNotSet')]);
  const rows: Phrase[] = [];
  for (const client of read.clients.all()) if (endingSoon(client, read, now)) rows.push(soonLine(client, read, words));
  if (rows.length === 0) return screen([words.t('bot.noneCloseToLimit')]);
  return listed(words.t('bot.closeToLimitCount', { count: rows.length }), rows, words);
}

export function soonLine(client: Client, read: ReadModels, words: Words): Phrase {
  const { expiresAt, capBytes } = client.spec;
  const details = {
    client: name(client.identity.email),
    time: expiresAt > 0 ? words.time(expiresAt) : '∞',
    left: capBytes > 0 ? words.bytes(Math.max(0, capBytes - usedBy(client, read))) : '∞',
  };
  return words.t('bot.soonLine', details);
}

/** Clients whose email, comment or subscription has the text in it, page by page. */
export function searchScreen(text: string, page: number, { read, access }: Caller, words: Words): Screen {
  const query = fitting(text.trim().toLowerCase());
  if (query === '') return screen([words.t('bot.searchEmpty')]);
  // The address of a subscription contains its id, and shows the credentials of the client.
  const hidesIds = hidesSecretsOf('clients', access);
  const found: Client[] = [];
  for (const client of read.clients.all())
    if (read.clients.isFirst(client) && matches(client, query, hidesIds)) found.push(client);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  // A caller can send its own button with any page.
  const at = Math.min(Math.max(0, Number.isSafeInteger(page) ? page : 0), pages - 1);
  if (found.length === 0) return screen([words.t('bot.noMatch', { text: name(query) })]);
  const rows = found.slice(at * PAGE, (at + 1) * PAGE).map(({ identity: { email }, number }): readonly ChatButton[] => {
    return [{ text: shortened(name(email).plain), data: `client:${number}` }];
  });
  const turn = [
    ...(at > 0 ? [{ text: '«', data: `find:${at - 1}:${query}` }] : []),
    ...(at < pages - 1 ? [{ text: '»', data: `find:${at + 1}:${query}` }] : []),
  ];
  const title = words.t('bot.matches', {
    ...{ count: found.length, text: name(query), page: at + 1, pages },
  });
  return screen([title], turn.length > 0 ? [...rows, turn] : rows);
}

function matches({ identity: { email, comment, subId } }: Client, query: string, hidesIds: boolean): boolean {
  return [email, comment, ...(hidesIds ? [] : [subId])].some((text) => text.toLowerCase().includes(query));
}

/** The beginning of a text that fits into a button: a shorter query finds at least as much. */
function fitting(text: string): string {
  let short = text;
  while (Buffer.byteLength(short) > MAX_QUERY_CHARS) short = [...short].slice(0, -1).join('');
  return short;
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length <= MAX_LABEL_CHARS ? text : `${letters.slice(0, MAX_LABEL_CHARS - 1).join('')}…`;
}

function listed(title: Phrase, rows: readonly Phrase[], words: Words): Screen {
  const more = rows.length - MAX_LISTED;
  const rest = more > 0 ? [words.t('bot.more', { count: more })] : [];
  return screen([bold(title), ...rows.slice(0, MAX_LISTED), ...rest]);
}
