import { type Client, emailKey } from '../../events/client/client-document.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { Choice, Format } from '../../projections/subscription/formats/format.js';
import { type Rendered, renderLinks } from '../../projections/subscription/formats/render.js';
import { subscriptionHeaders } from '../../projections/subscription/headers.js';
import type { ClientUsage } from '../../projections/subscription/usage.js';
import { shareLinksForSubId } from '../panel/codec/links.js';
import type { Made } from './subscription-cache.js';

/** In addition to the base headers, because the URL of a subscription is a secret. */
export const secretHeaders = ['X-Robots-Tag', 'noindex, nofollow'];

/** The request headers that determine format and encoding. */
const VARY = 'Accept, User-Agent, Accept-Encoding';

export interface SubscriptionRequest {
  readonly subId: string;
  /** The URL of the request. */
  readonly url: string;
  /** The host of links when no other is configured. */
  readonly host: string;
}

/**
 * A subscription in one of its formats, for apps. If a guessed format supports none of the links, plain links are sent
 * instead, because the app may support them. `now` in ms since 1970.
 */
export function subscriptionIn(
  read: ReadModels,
  { format, isGuess }: Choice,
  { subId, url, host }: SubscriptionRequest,
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
  const clients = usagesOf(read, read.clients.bySubId(subId));
  const headers = subscriptionHeaders({ clients, settings, url, fileName: settings.subTitle });
  return { headers: ['Content-Type', type, 'Vary', VARY, ...secretHeaders, ...Object.entries(headers).flat()], body };
}

/** Usage and limits of the clients. */
export function usagesOf(read: ReadModels, clients: readonly Client[]): readonly ClientUsage[] {
  return clients.map((client) => {
    const { up, down } = read.usage.client(client);
    const { capBytes, expiresAt } = client.spec;
    return { person: emailKey(client.identity.email), up, down, capBytes, expiresAt };
  });
}
