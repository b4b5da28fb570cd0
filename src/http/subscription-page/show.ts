import type { IncomingMessage, ServerResponse } from 'node:http';
import { zoneNamed } from '../../lib/calendar.js';
import type { ReadModels } from '../../projections/read-models.js';
import { subscriptionHeaders } from '../../projections/subscription/headers.js';
import { linksOf, linkUrl } from '../../projections/subscription/links.js';
import { nodeHostOf, subscribed } from '../codec/links.js';
import { languageOf, spoken } from '../language/language.js';
import { secretHeaders, usagesOf } from '../subscription-cache.js';
import { infoPagePolicy } from './assets.js';
import { infoPage } from './page.js';

/** Where one subscription is fetched, in each form that is switched on. */
export interface Addresses {
  readonly url: string;
  readonly jsonUrl: string | null;
  readonly clashUrl: string | null;
}

interface Shown {
  readonly subId: string;
  readonly addresses: Addresses;
  /** The host that links name where nothing else says one. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `lang` of the query, if there is one. */
  readonly asked: string | null;
}

/** Answers with the page of a subscription that somebody may use. */
export function showPage(read: ReadModels, req: IncomingMessage, res: ServerResponse, shown: Shown): void {
  const { subId, addresses, host, now, asked } = shown;
  const settings = read.settings();
  const clients = read.clientsBySubId(subId);
  const context = { host, settings, now, showInfo: false };
  const links = subscribed(read, subId).flatMap(({ inbound, client }) =>
    linksOf(inbound, client, read.clientCounter(client), { ...context, ...nodeHostOf(read, inbound) }).map((link) => ({
      name: link.name,
      url: linkUrl(link),
    })),
  );
  const usages = usagesOf(read, clients);
  const html = infoPage({
    subId,
    title: settings.subTitle,
    announce: settings.subAnnounce,
    supportUrl: settings.subSupportUrl,
    ...addresses,
    clients: usages,
    lastOnline: Math.max(0, ...clients.map((client) => read.lastOnline(client))),
    links,
    language: spoken(asked ?? '') ?? languageOf(req.headers),
    zone: zoneNamed(settings.timeLocation),
    calendar: settings.datepicker,
    now,
  });
  res.writeHead(200, [
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(Buffer.byteLength(html))],
    ...['Content-Security-Policy', infoPagePolicy, 'X-Content-Type-Options', 'nosniff', 'X-Frame-Options', 'DENY'],
    ...['Vary', 'Accept, Accept-Language, Cookie, User-Agent'],
    ...secretHeaders,
    ...Object.entries(subscriptionHeaders({ clients: usages, settings, url: addresses.url })).flat(),
  ]);
  res.end(req.method === 'HEAD' ? undefined : html);
}
