import { emailKey } from '../../../events/client/client-document.js';
import type { InboundId } from '../../../events/ids.js';
import { OF_ANOTHER } from '../../../lib/node-words.js';
import type { ListedClients, ListedInbound, WantedClient, WantedInbound } from '../../ports/remote-panel.js';

/** What was told to a node before, of one inbound. */
export interface Had {
  readonly inbound: InboundId;
  /** The names under which the node has had it, the newest last. */
  readonly tags: readonly string[];
  readonly deleted: boolean;
  /** It was taken away there, or seen to be gone: what is there under its names must show that it is ours. */
  readonly removed?: boolean;
}

/** A wanted inbound and what the node has of it. */
export interface InboundMatch {
  readonly wanted: WantedInbound;
  /** Null = it is not there. */
  readonly listed: ListedInbound | null;
  /** What is there is another one that only has the name. */
  readonly foreign: boolean;
}

/**
 * Finds the wanted inbounds in a listing, by their tags of now and before. One is ours when the log says that it was put
 * there, or when it carries our mark: an inbound of the node's own is never taken over, however much it is like what is
 * wanted. `former`: what else of ours is there under a name that an inbound once had.
 */
export function matchInbounds(
  wanted: readonly WantedInbound[],
  listed: readonly ListedInbound[],
  known: readonly Had[],
) {
  const byTag = new Map(listed.map((inbound) => [inbound.tag, inbound]));
  const tags = new Set(wanted.map(({ tag }) => tag));
  const hadOf = new Map(known.map((had) => [had.inbound, had]));
  const recorded = new Set(known.flatMap((had) => (had.removed ? [] : had.tags)));
  const claimed = new Set<ListedInbound>();
  const former = (had: Had | undefined): readonly ListedInbound[] =>
    (had?.tags ?? []).toReversed().flatMap((tag) => {
      const there = tags.has(tag) ? undefined : byTag.get(tag);
      return there && !claimed.has(there) && (!had?.removed || isMarked(there)) ? [there] : [];
    });
  const matches = wanted.map((inbound): InboundMatch => {
    const own = byTag.get(inbound.tag);
    const [old] = former(hadOf.get(inbound.id));
    const there = own ?? old ?? null;
    if (there) claimed.add(there);
    const isPut = recorded.has(inbound.tag);
    const foreign = own !== undefined && (isPut ? isReplaced(inbound, own) : old !== undefined || !isMet(inbound, own));
    return { wanted: inbound, listed: there, foreign };
  });
  return { matches, claimed, former };
}

/** Whether one that is in no record was put there by us all the same: the record was lost, or the node is older than it. */
function isMet({ id, protocol, port }: WantedInbound, own: ListedInbound): boolean {
  if (isShared(own)) return false;
  return own.mark === id || (isMarked(own) && own.protocol === protocol && own.port === port);
}

/** Whether somebody there has put an inbound of his own in the place of one that was ours. */
function isReplaced({ digest, clients: wanted }: WantedInbound, own: ListedInbound): boolean {
  const { emails } = own.clients;
  if (emails.length === 0 || own.digest === digest || isMarked(own) || isShared(own)) return false;
  const known = new Set(wanted.map(({ email }) => emailKey(email)));
  return !emails.some((email) => known.has(emailKey(email)));
}

/** Whether it shows by itself that we put it there. */
function isMarked({ mark, clients }: ListedInbound): boolean {
  return mark > 0 || clients.marks.some((number) => number > 0);
}

/** Whether another centre put it there, or has clients in it. */
export function isShared({ mark, clients }: ListedInbound): boolean {
  return mark === OF_ANOTHER || clients.marks.includes(OF_ANOTHER);
}

/** The clients of an inbound, wanted and there. */
export interface ClientMatch {
  /** A wanted client, and its place in the listing. */
  readonly both: readonly (readonly [WantedClient, number])[];
  readonly missing: readonly WantedClient[];
  /** Places of clients that we put there and want there no more. */
  readonly gone: readonly number[];
  /** Places of those that we did not. */
  readonly unmanaged: readonly number[];
}

const matched = new WeakMap<ListedClients, { readonly wanted: WantedInbound; readonly match: ClientMatch }>();

/** Ours are known by their mark, under whatever name; the others by their email. The last match of a listing is kept. */
export function matchClients(wanted: WantedInbound, clients: ListedClients): ClientMatch {
  const known = matched.get(clients);
  if (known?.wanted === wanted) return known.match;
  const match = matchedClients(wanted, clients);
  matched.set(clients, { wanted, match });
  return match;
}

function matchedClients({ clients: wanted }: WantedInbound, clients: ListedClients): ClientMatch {
  const byNumber = new Map(wanted.map((client) => [client.number as number, client]));
  const byEmail = new Map(wanted.map((client) => [emailKey(client.email), client]));
  const both: (readonly [WantedClient, number])[] = [];
  const gone: number[] = [];
  const rest: number[] = [];
  const unmanaged: number[] = [];
  const found = new Set<WantedClient>();
  for (const [i, mark] of clients.marks.entries()) {
    const client = byNumber.get(mark);
    if (mark === OF_ANOTHER) unmanaged.push(i);
    else if (mark === 0) rest.push(i);
    else if (!client || found.has(client)) gone.push(i);
    else {
      found.add(client);
      both.push([client, i]);
    }
  }
  for (const i of rest) {
    const client = byEmail.get(emailKey(clients.emails[i] ?? ''));
    if (!client || found.has(client)) unmanaged.push(i);
    else {
      found.add(client);
      both.push([client, i]);
    }
  }
  return { both, missing: wanted.filter((client) => !found.has(client)), gone, unmanaged };
}
