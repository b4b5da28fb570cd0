import { formatBytes } from '../../projections/subscription/name.js';
import { type ClientUsage, totalUsage } from '../../projections/subscription/usage.js';
import { directionOf, type Language, languageNames, languages } from '../language/language.js';
import { translated } from '../language/translate.js';
import { appsFor } from './apps.js';
import { SCRIPT, STYLE } from './assets.js';
import { qrCode } from './qr.js';
import { expiryText, type TimeWords, timeShown } from './times.js';

export interface InfoPage extends TimeWords {
  readonly subId: string;
  /** Heading; empty = the subscription's id. */
  readonly title: string;
  readonly announce: string;
  /** Shown as a link when it leads to a page, a chat or a mailbox. */
  readonly supportUrl: string;
  /** Addresses of the subscription as apps fetch it; null for a form that is switched off. */
  readonly url: string;
  readonly jsonUrl: string | null;
  readonly clashUrl: string | null;
  /** Every client of the subscription, those that may not connect included. */
  readonly clients: readonly ClientUsage[];
  /** When one of them last moved bytes: milliseconds since 1970; 0 = never. */
  readonly lastOnline: number;
  readonly links: readonly { readonly name: string; readonly url: string }[];
}

/** A page is loaded over bad lines: single links get a code of their own only while it stays below this, in bytes. */
const SMALL = 18_000;

/**
 * A page that tells a user what is left, and brings the subscription into an app: by a button, a QR code or by copying.
 * All of it can be read without a script. Whatever it is given is text: nothing of it becomes markup.
 */
export function infoPage(page: InfoPage): string {
  const { language } = page;
  const t = (text: string): string => translated(text, language);
  const title = page.title || page.subId;
  const usage = usageOf(page, t);
  const apps = appsFor({ url: page.url, clashUrl: page.clashUrl, name: title }).map(
    ({ name, systems, address }) =>
      `<li><a href="${escaped(address)}" rel="noreferrer">${name}<small>${systems}</small></a></li>`,
  );
  const forms = [
    copied(page.url, t) + qrCode(page.url, t('QR code of the subscription')),
    ...(page.jsonUrl === null ? [] : [`<h2>JSON</h2>${copied(page.jsonUrl, t)}`]),
    ...(page.clashUrl === null ? [] : [`<h2>Clash</h2>${copied(page.clashUrl, t)}`]),
  ];
  const support = /^(https?|tg|mailto):/i.test(page.supportUrl)
    ? `<p><a href="${escaped(page.supportUrl)}" rel="noreferrer">${t('Support')}</a></p>`
    : '';
  const before = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body>
<header><h1><bdi>${escaped(title)}</bdi></h1><nav aria-label="${t('Language')}">${otherLanguages(language)}</nav></header>
${page.announce === '' ? '' : `<section><p dir="auto">${escaped(page.announce)}</p></section>`}
<section>${usage}</section>
<section><h2>${t('Open in an app')}</h2><ul class="apps">${apps.join('')}</ul></section>
<section><h2>${t('Subscription link')}</h2>${forms.join('\n')}</section>
`;
  const after = `${support}<script>${SCRIPT}</script></body></html>\n`;
  return before + linksOf(page, t, SMALL - Buffer.byteLength(before + after)) + after;
}

function usageOf(page: InfoPage, t: (text: string) => string): string {
  const { up, down, capBytes } = totalUsage(page.clients);
  const used = up + down;
  const size = (bytes: number): string => `<bdi>${formatBytes(bytes)}</bdi>`;
  const rows: readonly (readonly [string, string])[] = [
    [t('Subscription'), `<bdi>${escaped(page.subId)}</bdi>`],
    [t('Status'), `<span class="on">${t('Active')}</span>`],
    [t('Downloaded'), size(down)],
    [t('Uploaded'), size(up)],
    [t('Used'), capBytes > 0 ? `${size(used)} / ${size(capBytes)}` : size(used)],
    [t('Remaining'), capBytes > 0 ? size(capBytes - used) : t('Unlimited')],
    [t('Expires'), escaped(expiryText(page.clients, page, t))],
    [t('Last online'), page.lastOnline > 0 ? escaped(timeShown(page.lastOnline, page)) : t('Never')],
  ];
  const bar =
    capBytes > 0
      ? `<progress aria-label="${t('Used')}" max="${capBytes}" value="${Math.min(used, capBytes)}"></progress>`
      : '';
  return `<dl>${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl>${bar}`;
}

/** The links with a code each, as far as the codes fit into `room` bytes. */
function linksOf({ links }: InfoPage, t: (text: string) => string, room: number): string {
  if (links.length === 0) return '';
  let left = room;
  const items = links.map(({ name, url }) => {
    const item = `<span dir="auto">${escaped(name)}</span>${copied(url, t)}`;
    const code = qrCode(url, t('QR code of the link'));
    const size = Buffer.byteLength(item + code);
    left -= size;
    return `<li>${item}${left < 0 || code === '' ? '' : `<details><summary>${t('QR code')}</summary>${code}</details>`}</li>`;
  });
  return `<section><h2>${t('Single links')}</h2><ul>${items.join('\n')}</ul></section>\n`;
}

function copied(text: string, t: (text: string) => string): string {
  return `<code>${escaped(text)}</code><button type="button" hidden data-done="${t('Copied')}">${t('Copy')}</button>`;
}

function otherLanguages(own: Language): string {
  const others = languages.filter((language) => language !== own);
  return others
    .map((language) => `<a href="?html=1&amp;lang=${language}" lang="${language}">${languageNames[language]}</a>`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
