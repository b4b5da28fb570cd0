import { type Client, mayConnect } from '../../../events/client/client-document.js';
import { type Inbound, serves } from '../../../events/inbound/inbound-document.js';
import { behindFront } from '../../../projections/subscription/fallback.js';
import type { Format } from '../../../projections/subscription/formats/format.js';
import { renderLinks } from '../../../projections/subscription/formats/render.js';
import {
  hasUrl,
  type LinkContext,
  linksOf,
  linkUrls,
  type ShareLink,
} from '../../../projections/subscription/links.js';
import type { SubscriptionModels } from '../../../projections/subscription/models.js';
import { realityPublicKey } from './reality.js';

type LinkModels = Omit<SubscriptionModels, 'changed$'>;

/** A client that a subscription shows, and its inbound. */
interface Subscribed {
  readonly inbound: Inbound;
  readonly client: Client;
}

/** The clients of a subscription that may connect, ordered by inbound and then by creation. */
export function subscribed(read: LinkModels, subId: string): readonly Subscribed[] {
  const found = read.clients.bySubId(subId).flatMap((client): Subscribed[] => {
    const inbound = read.inbounds.get(client.inbound);
    return inbound && serves(inbound) && mayConnect(client) ? [{ inbound, client }] : [];
  });
  return found.sort((a, b) => a.inbound.id - b.inbound.id || a.client.number - b.client.number);
}

/**
 * The links of a subscription; none for an unknown one. `showInfo`: the name of the first URL shows the client's remaining
 * time and traffic.
 */
export function shareLinksForSubId(
  read: LinkModels,
  subId: string,
  requestHost: string,
  now: number,
  showInfo = false,
): readonly ShareLink[] {
  const links: ShareLink[] = [];
  for (const one of subscribed(read, subId)) {
    links.push(...shareLinks(read, one, { host: requestHost, now, showInfo: showInfo && !links.some(hasUrl) }));
  }
  return links;
}

/** The same as URLs. */
export function linksForSubId(
  read: LinkModels,
  subId: string,
  requestHost: string,
  now: number,
  showInfo = false,
): readonly string[] {
  return linkUrls(shareLinksForSubId(read, subId, requestHost, now, showInfo));
}

/** The configuration of an app for one client, whether it may connect or not; empty if the format cannot express the inbound. */
export function profileForClient(
  read: LinkModels,
  { inbound, client }: Subscribed,
  format: Format,
  options: Omit<LinkOptions, 'showInfo'>,
): string {
  const links = shareLinks(read, { inbound, client }, { ...options, showInfo: false });
  const { body, isEmpty } = renderLinks(links, format, read.settings.current());
  return isEmpty ? '' : body;
}

/** The links of one client, whether it may connect or not. */
export function linksForClient(
  read: LinkModels,
  inbound: Inbound,
  client: Client,
  requestHost: string,
  now: number,
): readonly string[] {
  return linkUrls(shareLinks(read, { inbound, client }, { host: requestHost, now, showInfo: false }));
}

/**
 * The host of a node's inbound; empty when the node was deleted. The address of a machine of the cluster, if it is known:
 * every member then gives the same links.
 */
function nodeHostOf(read: LinkModels, { node, machine }: Inbound): Pick<LinkContext, 'nodeHost'> {
  if (node !== null) return { nodeHost: read.nodes.get(node)?.host ?? '' };
  const address = machine === undefined ? '' : (read.records.members().get(machine) ?? '');
  return address === '' ? {} : { nodeHost: address };
}

type LinkOptions = Pick<LinkContext, 'host' | 'now' | 'showInfo'>;

function shareLinks(read: LinkModels, { inbound, client }: Subscribed, options: LinkOptions): readonly ShareLink[] {
  const context: LinkContext = {
    ...options,
    ...nodeHostOf(read, inbound),
    settings: read.settings.current(),
    publicKeyOf: realityPublicKey,
  };
  const neighbours = read.inbounds
    .all()
    .filter(({ node, machine }) => node === inbound.node && machine === inbound.machine);
  return linksOf(behindFront(inbound, neighbours), client, read.usage.client(client), context);
}
