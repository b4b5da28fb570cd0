import { type Client, emailKey } from '../../events/client/client-document.js';
import type { Choice, Format } from '../../projections/subscription/formats/format.js';
import { type Rendered, renderLinks } from '../../projections/subscription/formats/render.js';
import { subscriptionHeaders } from '../../projections/subscription/headers.js';
import type { SubscriptionModels } from '../../projections/subscription/models.js';
import type { ClientUsage } from '../../projections/subscription/usage.js';
import { shareLinksForSubId } from '../panel/codec/links.js';

/** In addition to the base headers, because the URL of a subscription is a secret. */
export const secretHeaders = ['X-Robots-Tag', 'noindex, nofollow'];

/** The request headers that determine format and encoding. */
const VARY = 'Accept, User-Agent, Accept-Encoding';

/** A rendered answer. Headers are names and values in turn, without those that describe the body or the usage. */
export interface Made {
  /** Equal for many subscriptions. */
  readonly headers: readonly string[];
  readonly ownHeaders: readonly string[];
  readonly body: string;
}

export interface SubscriptionRequest {
  readonly subId: string;
  /** The URL of the request. */
  readonly url: string;
  /** The URLs of the same subscription at other addresses. */
  readonly otherUrls: readonly string[];
  /** The host of links when no other is configured. */
  readonly host: string;
}

/**
 * A subscription in one of its formats, for apps. If a guessed format supports none of the links, plain links are sent
 * instead, because the app may support them. `now` in ms since 1970.
 */
export function subscriptionIn(
  read: SubscriptionModels,
  { format, isGuess }: Choice,
  { subId, url, otherUrls, host }: SubscriptionRequest,
  now: number,
): Made {
  const settings = read.settings.current();
  const inForm = (form: Format): Rendered => {
    // A profile configures a whole program, so the remaining traffic is not added to the name of a server.
    const asLinks = form === 'links' || form === 'base64' || form === 'plain';
    return renderLinks(shareLinksForSubId(read, subId, host, now, asLinks), form, settings);
  };
  const guessed = inForm(format);
  const { type, body } = isGuess && guessed.isEmpty ? inForm('links') : guessed;
  const {
    [PAGE_URL]: page,
    [FALLBACK_URL]: fallback,
    ...headers
  } = subscriptionHeaders({
    ...{ settings, url, otherUrls },
    fileName: settings.subTitle,
  });
  return {
    headers: ['Content-Type', type, 'Vary', VARY, ...secretHeaders, ...Object.entries(headers).flat()],
    ownHeaders: [
      ...(page === undefined ? [] : [PAGE_URL, page]),
      ...(fallback === undefined ? [] : [FALLBACK_URL, fallback]),
    ],
    body,
  };
}

/** The headers that differ between subscriptions, apart from the usage. */
const PAGE_URL = 'Profile-Web-Page-Url';
const FALLBACK_URL = 'Fallback-Url';

/** Usage and limits of the clients. */
export function usagesOf(read: SubscriptionModels, clients: readonly Client[]): readonly ClientUsage[] {
  return clients.map((client) => {
    const { up, down } = read.usage.client(client);
    const { capBytes, expiresAt } = client.spec;
    return { person: emailKey(client.identity.email), up, down, capBytes, expiresAt };
  });
}
