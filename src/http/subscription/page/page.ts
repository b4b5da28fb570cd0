import { safeLink, safeText } from '../../../lib/net/links.js';
import { directionOf, type Language, languageNames, languages } from '../../../messages/language.js';
import { message } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import { type ClientUsage, totalUsage } from '../../../projections/subscription/usage.js';
import { type AppLink, appsFor, type System } from './apps.js';
import { SCRIPT, STYLE } from './assets.js';
import { copied, escaped, type Translate } from './markup.js';
import { qrCode } from './qr.js';
import { type SingleLink, singleLinks } from './single-links.js';
import { endShown, sizeShown, type TimeWords, timeShown } from './times.js';

export interface InfoPage extends TimeWords {
  readonly subId: string;
  /** Heading; empty = the subscription's id. */
  readonly title: string;
  readonly announce: string;
  /** Shown as a link if `safeLink` allows it. */
  readonly supportUrl: string;
  /** URLs of the subscription for apps; null for a disabled format. */
  readonly url: string;
  /** `url` at other addresses, for a user who cannot reach this one. */
  readonly otherUrls: readonly string[];
  readonly jsonUrl: string | null;
  readonly clashUrl: string | null;
  /** Like `url`, for sing-box; null when it supports none of the links. */
  readonly singBoxUrl: string | null;
  /** All clients of the subscription, including those that may not connect. */
  readonly clients: readonly ClientUsage[];
  /** When one of them last transferred bytes: milliseconds since 1970; 0 = never. */
  readonly lastOnline: number;
  readonly links: readonly SingleLink[];
  /** The reader's operating system: its apps are listed first. */
  readonly system: System | null;
  /** The link, counted from 1, whose QR code was requested; 0 = none. */
  readonly code: number;
}

/**
 * Size limit in bytes, because the page is loaded over bad connections. Links whose QR code does not fit get a link to this
 * page with that code.
 */
const SMALL = 19_500;
/**
 * A page that shows a user the remaining traffic and time, and adds the subscription to an app by a button, a QR code or
 * copying. It works without a script. All input is escaped, so nothing becomes markup.
 */
export function infoPage(page: InfoPage): string {
  const { language } = page;
  const t: Translate = (code) => render(message(code), language);
  const title = page.title || page.subId;
  const forms = [
    copied(page.url, t) + qrCode(page.url, t('subscription-page.qrOfSubscription')),
    ...(page.jsonUrl === null ? [] : [`<h3>JSON</h3>${copied(page.jsonUrl, t)}`]),
    ...(page.clashUrl === null ? [] : [`<h3>Clash</h3>${copied(page.clashUrl, t)}`]),
    ...othersOf(page, t),
  ];
  const announce = safeText(page.announce);
  const supportUrl = safeLink(page.supportUrl);
  const support = supportUrl
    ? `<p><a href="${escaped(supportUrl)}" rel="noreferrer">${t('subscription-page.support')}</a></p>`
    : '';
  const before = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body data-done="${t('subscription-page.copied')}">
<header><h1><bdi>${escaped(title)}</bdi></h1><nav aria-label="${t('subscription-page.language')}">${otherLanguages(language)}</nav></header><main>
${announce === '' ? '' : `<section><p dir="auto">${escaped(announce)}</p></section>`}
<section>${usageOf(page, t)}</section>
${appsOf(page, title, t)}
<section><h2>${t('subscription-page.link')}</h2>${forms.join('\n')}</section>
`;
  const after = `</main>${support}<script>${SCRIPT}</script></body></html>\n`;
  return before + singleLinks(page, t, SMALL - Buffer.byteLength(before + after)) + after;
}

function othersOf({ otherUrls }: InfoPage, t: Translate): readonly string[] {
  if (otherUrls.length === 0) return [];
  const rows = otherUrls.map((url) => copied(url, t)).join('\n');
  return [`<h3>${t('subscription-page.otherAddresses')}</h3><p>${t('subscription-page.ifBlocked')}</p>${rows}`];
}

function usageOf(page: InfoPage, t: Translate): string {
  const { up, down, capBytes } = totalUsage(page.clients);
  const used = up + down;
  const size = (bytes: number): string => `<bdi>${sizeShown(bytes, page.language)}</bdi>`;
  const { away, moment } = endShown(page.clients, page, t);
  const bar =
    capBytes > 0
      ? `<progress aria-label="${t('subscription-page.used')}" max="${capBytes}" value="${Math.min(used, capBytes)}"></progress>`
      : '';
  const first: Rows = [
    [t('subscription-page.remaining'), capBytes > 0 ? size(capBytes - used) : t('subscription-page.unlimited')],
    [t('subscription-page.expires'), escaped(away)],
  ];
  const more: Rows = [
    [t('subscription-page.used'), capBytes > 0 ? `${size(used)} / ${size(capBytes)}` : size(used)],
    [t('subscription-page.downloaded'), size(down)],
    [t('subscription-page.uploaded'), size(up)],
    ...(moment === null ? [] : [[t('subscription-page.expires'), escaped(moment)] as const]),
    [
      t('subscription-page.lastOnline'),
      page.lastOnline > 0 ? escaped(timeShown(page.lastOnline, page)) : t('subscription-page.never'),
    ],
    [t('subscription-page.subscription'), `<bdi>${escaped(page.subId)}</bdi>`],
  ];
  return `<div class="top"><dl>${rows(first)}</dl><span class="on">${t('subscription-page.active')}</span></div>${bar}<dl class="more">${rows(more)}</dl>`;
}

type Rows = readonly (readonly [term: string, value: string])[];

function rows(all: Rows): string {
  return all.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('');
}

function appsOf({ url, singBoxUrl, clashUrl, links, system }: InfoPage, name: string, t: Translate): string {
  const apps = appsFor({ url: links.length > 0 ? url : null, singBoxUrl, clashUrl, name }, system);
  if (apps.length === 0) return '';
  const others = apps.filter(({ fits }) => !fits);
  const rest = `<details><summary>${t('subscription-page.otherDevices')}</summary>${appList(others)}</details>`;
  const list = appList(apps.filter(({ fits }) => fits)) + (others.length > 0 ? rest : '');
  return `<section><h2>${t('subscription-page.openInApp')}</h2>${list}</section>`;
}

function appList(apps: readonly AppLink[]): string {
  const items = apps.map(
    ({ name, systems, address }) =>
      `<li><a href="${escaped(address)}" rel="noreferrer">${name}<small>${systems}</small></a></li>`,
  );
  return `<ul class="apps">${items.join('')}</ul>`;
}

function otherLanguages(own: Language): string {
  const others = languages.filter((language) => language !== own);
  return others
    .map((language) => `<a href="?html=1&amp;lang=${language}" lang="${language}">${languageNames[language]}</a>`)
    .join('');
}
