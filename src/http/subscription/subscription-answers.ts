import { type Client, emailKey } from '../../events/client/client-document.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { Choice, Format } from '../../projections/subscription/formats/format.js';
import { type Rendered, renderLinks } from '../../projections/subscription/formats/render.js';
import { subscriptionHeaders } from '../../projections/subscription/headers.js';
import type { ClientUsage } from '../../projections/subscription/usage.js';
import { shareLinksForSubId } from '../panel/codec/links.js';
import type { Made } from './subscription-cache.js';

/** Beside the base headers: the URL of a subscription is a secret. */
export const secretHeaders = ['X-Robots-Tag', 'noindex, nofollow'];

/** What chooses the form, and what it goes out as. */
const VARY = 'Accept, User-Agent, Accept-Encoding';

export interface Asked {
  readonly subId: string;
  /** Under which the subscription was asked for. */
  readonly url: string;
  /** The host that links name where nothing else says one. */
  readonly host: string;
}

/**
 * A subscription in one of its forms, for apps. Where nothing can be said in a form that was only guessed, the links are
 * sent instead: an app may know what its form has no words for. `now` in ms since 1970.
 */
export function subscriptionIn(
  read: ReadModels,
  { format, isGuess }: Choice,
  { subId, url, host }: Asked,
  now: number,
): Made {
  const settings = read.settings.current();
  const inForm = (form: Format): Rendered => {
    // A profile is a whole program: what is left of the traffic has no place in the name of a server there.
    const asLinks = form === 'links' || form === 'base64' || form === 'plain';
    return renderLinks(shareLinksForSubId(read, subId, host, now, asLinks), form, settings);
  };
  const guessed = inForm(format);
  const { type, body } = isGuess && guessed.isEmpty ? inForm('links') : guessed;
  const clients = usagesOf(read, read.clients.bySubId(subId));
  const told = subscriptionHeaders({ clients, settings, url, fileName: settings.subTitle });
  return { headers: ['Content-Type', type, 'Vary', VARY, ...secretHeaders, ...Object.entries(told).flat()], body };
}

/** What the clients used and may use. */
export function usagesOf(read: ReadModels, clients: readonly Client[]): readonly ClientUsage[] {
  return clients.map((client) => {
    const { up, down } = read.usage.client(client);
    const { capBytes, expiresAt } = client.spec;
    return { person: emailKey(client.identity.email), up, down, capBytes, expiresAt };
  });
}
