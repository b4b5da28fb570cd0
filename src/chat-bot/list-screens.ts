import type { ChatButton } from '../commands/ports/chat-bot.js';
import type { Client } from '../events/client/client-document.js';
import type { ReadModels } from '../projections/read-models.js';
import { type Screen, screen } from './screen.js';
import { soonOver, usedBy } from './soon.js';
import { bold, bytesText, labelled, name, type Phrase, safe, type Words } from './words.js';

/** Rows of a list that has no further page. */
const MOST = 50;
const TOP = 10;
/** Buttons of a page of a search. */
const PAGE = 8;
/** Of what a button carries; its name and the page take the rest of the 64. */
const LONGEST_QUERY = 48;
const LONGEST_LABEL = 40;

export function onlineScreen(read: ReadModels, words: Words, now: number): Screen {
  const emails = [...read.usage.onlineEmails(now)].sort();
  if (emails.length === 0) return screen([words.t('Nobody is online')]);
  return listed(words.t('Online: {count}', { count: emails.length }), emails.map(name), words);
}

/** Who has used most since the counters were last reset. */
export function topScreen(read: ReadModels, words: Words): Screen {
  const top: (readonly [Client, number])[] = [];
  for (const client of read.clients.all()) {
    if (!read.clients.isFirst(client)) continue;
    const used = usedBy(client, read);
    if (used === 0 || (top.length === TOP && used <= (top.at(-1)?.[1] ?? 0))) continue;
    top.splice(top.findIndex(([, less]) => less < used) >>> 0, 0, [client, used]);
    top.length = Math.min(top.length, TOP);
  }
  if (top.length === 0) return screen([words.t('Nobody has used anything yet')]);
  const rows = top.map(([client, used]) => labelled(name(client.identity.email), safe(bytesText(used))));
  return listed(words.t('Most used'), rows, words);
}

/** Whose term or bytes are soon over, by the settings. */
export function soonScreen(read: ReadModels, words: Words, now: number): Screen {
  const { expireDiff, trafficDiff } = read.settings.current();
  if (expireDiff === 0 && trafficDiff === 0)
    return screen([words.t('Set expireDiff or trafficDiff to see who is soon over')]);
  const rows: Phrase[] = [];
  for (const client of read.clients.all()) if (soonOver(client, read, now)) rows.push(soonLine(client, read, words));
  if (rows.length === 0) return screen([words.t('Nobody is soon over')]);
  return listed(words.t('Soon over: {count}', { count: rows.length }), rows, words);
}

export function soonLine(client: Client, read: ReadModels, words: Words): Phrase {
  const { expiresAt, capBytes } = client.spec;
  const details = {
    client: name(client.identity.email),
    time: expiresAt > 0 ? words.time(expiresAt) : '∞',
    left: capBytes > 0 ? bytesText(Math.max(0, capBytes - usedBy(client, read))) : '∞',
  };
  return words.t('{client}: {left} left, ends {time}', details);
}

/** Clients whose email, comment or subscription has the text in it, page by page. */
export function searchScreen(text: string, page: number, read: ReadModels, words: Words): Screen {
  const query = fitting(text.trim().toLowerCase());
  if (query === '') return screen([words.t('Write a part of the email behind the command')]);
  const found: Client[] = [];
  for (const client of read.clients.all())
    if (read.clients.isFirst(client) && matches(client, query)) found.push(client);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  // A forged button asks for anything.
  const at = Math.min(Math.max(0, Number.isSafeInteger(page) ? page : 0), pages - 1);
  if (found.length === 0) return screen([words.t('No client matches {text}', { text: name(query) })]);
  const rows = found.slice(at * PAGE, (at + 1) * PAGE).map(({ identity: { email }, number }): readonly ChatButton[] => {
    return [{ text: shortened(name(email).plain), data: `client:${number}` }];
  });
  const turn = [
    ...(at > 0 ? [{ text: '«', data: `find:${at - 1}:${query}` }] : []),
    ...(at < pages - 1 ? [{ text: '»', data: `find:${at + 1}:${query}` }] : []),
  ];
  const title = words.t('Clients that match {text}: {count}, page {page} of {pages}', {
    ...{ count: found.length, text: name(query), page: at + 1, pages },
  });
  return screen([title], turn.length > 0 ? [...rows, turn] : rows);
}

function matches({ identity: { email, comment, subId } }: Client, query: string): boolean {
  return [email, comment, subId].some((text) => text.toLowerCase().includes(query));
}

/** As much of it as a button can carry: what is found for less has the rest among it. */
function fitting(text: string): string {
  let short = text;
  while (Buffer.byteLength(short) > LONGEST_QUERY) short = [...short].slice(0, -1).join('');
  return short;
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length <= LONGEST_LABEL ? text : `${letters.slice(0, LONGEST_LABEL - 1).join('')}…`;
}

function listed(title: Phrase, rows: readonly Phrase[], words: Words): Screen {
  const more = rows.length - MOST;
  const rest = more > 0 ? [words.t('and {count} more', { count: more })] : [];
  return screen([bold(title), ...rows.slice(0, MOST), ...rest]);
}
