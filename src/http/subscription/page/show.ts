import { zoneNamed } from '../../../lib/time/calendar.js';
import { type Language } from '../../../messages/language.js';
import { clashProxy } from '../../../projections/subscription/formats/clash-proxy.js';
import { canExpressAny } from '../../../projections/subscription/formats/shared.js';
import { singBoxOutbound } from '../../../projections/subscription/formats/sing-box-outbound.js';
import { subscriptionHeaders } from '../../../projections/subscription/headers.js';
import type { SubscriptionModels } from '../../../projections/subscription/models.js';
import { hasUrl, linkUrl, type ShareLink, shortUrl } from '../../../projections/subscription/share-link.js';
import { shareLinksForSubId } from '../../panel/codec/links.js';
import { type Made, type SubscriptionRequest, secretHeaders, usagesOf } from '../subscription-answers.js';
import type { System } from './apps.js';
import { infoPagePolicy } from './assets.js';
import { infoPage } from './page.js';
import type { SingleLink } from './single-links.js';

/** A valid subscription, and its URLs in the other formats; null for a disabled one. */
interface Shown extends SubscriptionRequest {
  readonly jsonUrl: string | null;
  readonly clashUrl: string | null;
  readonly language: Language;
  readonly system: System | null;
  /** The link, counted from 1, whose QR code was requested; 0 = none. */
  readonly code: number;
}

const HEADERS = [
  ...['Content-Type', 'text/html; charset=utf-8'],
  ...['Content-Security-Policy', infoPagePolicy],
  ...['Vary', 'Accept, User-Agent, Accept-Encoding, Accept-Language, Cookie'],
  ...secretHeaders,
];

/** The page of a subscription. `now` in ms since 1970. */
export function subscriptionPage(read: SubscriptionModels, shown: Shown, now: number): Made {
  const { subId, url, otherUrls, jsonUrl, clashUrl, host, language, system, code } = shown;
  const settings = read.settings.current();
  const clients = read.clients.bySubId(subId);
  const usages = usagesOf(read, clients);
  const links = shareLinksForSubId(read, subId, host, now);
  const body = infoPage({
    subId,
    title: settings.subTitle,
    announce: settings.subAnnounce,
    supportUrl: settings.subSupportUrl,
    ...{ url, otherUrls, jsonUrl },
    clashUrl: canExpressAny(links, clashProxy) ? clashUrl : null,
    singBoxUrl: canExpressAny(links, singBoxOutbound) ? `${url}?format=sing-box` : null,
    clients: usages,
    lastOnline: Math.max(0, ...clients.map((client) => read.usage.lastOnline(client))),
    links: withCodes(links),
    ...{ language, system, code },
    zone: zoneNamed(settings.timeLocation),
    calendar: settings.datepicker,
    now,
  });
  const headers = subscriptionHeaders({ settings, url, otherUrls });
  return { headers: HEADERS, ownHeaders: ['Content-Language', language, ...Object.entries(headers).flat()], body };
}

function withCodes(links: readonly ShareLink[]): readonly SingleLink[] {
  return links.filter(hasUrl).map((link) => ({ name: link.name, url: linkUrl(link), code: shortUrl(link) }));
}
