import { emailKey } from '../../../events/client/client-document.js';
import type { InboundId } from '../../../events/ids.js';
import type { DesiredClient, DesiredInbound } from '../../../events/node/desired-state.js';
import { OTHER_CENTRE } from '../../../lib/ownership-mark.js';
import type { ListedClients, ListedInbound } from '../../ports/remote-panel.js';

/** An inbound that was sent to the node before. */
export interface SentInbound {
  readonly inbound: InboundId;
  /** The tags that it had on the node, the newest last. */
  readonly tags: readonly string[];
  readonly deleted: boolean;
  /** It was removed from the node: an inbound with one of its tags is ours only if it has our mark. */
  readonly removed?: boolean;
}

/** A desired inbound and its counterpart on the node. */
interface InboundMatch {
  readonly desired: DesiredInbound;
  /** Null = it is not there. */
  readonly listed: ListedInbound | null;
  /** The counterpart is another inbound with the same tag. */
  readonly foreign: boolean;
}

/**
 * Finds the desired inbounds in a listing by their current and previous tags. An inbound is ours if the log records that it was
 * sent, or if it has our mark; a foreign inbound is never taken over, even if it is identical. `leftBehind`: our
 * inbounds that are still on the node under a previous tag.
 */
export function matchInbounds(
  desired: readonly DesiredInbound[],
  listed: readonly ListedInbound[],
  known: readonly SentInbound[],
) {
  const byTag = new Map(listed.map((inbound) => [inbound.tag, inbound]));
  const tags = new Set(desired.map(({ tag }) => tag));
  const sentOf = new Map(known.map((sent) => [sent.inbound, sent]));
  const recorded = new Set(known.flatMap((sent) => (sent.removed ? [] : sent.tags)));
  const claimed = new Set<ListedInbound>();
  const leftBehind = (sent: SentInbound | undefined): readonly ListedInbound[] =>
    (sent?.tags ?? []).toReversed().flatMap((tag) => {
      const found = tags.has(tag) ? undefined : byTag.get(tag);
      return found && !claimed.has(found) && (!sent?.removed || isMarked(found)) ? [found] : [];
    });
  const matches = desired.map((inbound): InboundMatch => {
    const own = byTag.get(inbound.tag);
    const [old] = leftBehind(sentOf.get(inbound.id));
    const counterpart = own ?? old ?? null;
    if (counterpart) claimed.add(counterpart);
    const wasSent = recorded.has(inbound.tag);
    const foreign =
      own !== undefined && (wasSent ? isReplaced(inbound, own) : old !== undefined || !isOursByMark(inbound, own));
    return { desired: inbound, listed: counterpart, foreign };
  });
  return { matches, claimed, leftBehind };
}

/** Whether an inbound without a record is ours: the record was lost, or the node is older than it. */
function isOursByMark({ id, protocol, port }: DesiredInbound, own: ListedInbound): boolean {
  if (isShared(own)) return false;
  return own.mark === id || (isMarked(own) && own.protocol === protocol && own.port === port);
}

/** Whether an inbound of the node's own has replaced ours. */
function isReplaced({ digest, clients: desired }: DesiredInbound, own: ListedInbound): boolean {
  const { emails } = own.clients;
  if (emails.length === 0 || own.digest === digest || isMarked(own) || isShared(own)) return false;
  const known = new Set(desired.map(({ email }) => emailKey(email)));
  return !emails.some((email) => known.has(emailKey(email)));
}

/** Whether it has a mark of ours. */
function isMarked({ mark, clients }: ListedInbound): boolean {
  return mark > 0 || clients.marks.some((number) => number > 0);
}

/** Whether another centre created it, or has clients in it. */
export function isShared({ mark, clients }: ListedInbound): boolean {
  return mark === OTHER_CENTRE || clients.marks.includes(OTHER_CENTRE);
}

/** The clients of an inbound: desired and listed. `number`s are indexes in the listing. */
interface ClientMatch {
  /** A desired client, and its index in the listing. */
  readonly both: readonly (readonly [DesiredClient, number])[];
  readonly missing: readonly DesiredClient[];
  /** Indexes of clients of ours that are no longer desired. */
  readonly obsolete: readonly number[];
  /** Indexes of clients that this panel did not create. */
  readonly foreign: readonly number[];
}

const matched = new WeakMap<ListedClients, { readonly desired: DesiredInbound; readonly match: ClientMatch }>();

/** Clients with our mark are matched by it, the others by email. The last match of a listing is cached. */
export function matchClients(desired: DesiredInbound, clients: ListedClients): ClientMatch {
  const known = matched.get(clients);
  if (known?.desired === desired) return known.match;
  const match = matchedClients(desired, clients);
  matched.set(clients, { desired, match });
  return match;
}

function matchedClients({ clients: desired }: DesiredInbound, clients: ListedClients): ClientMatch {
  const byNumber = new Map(desired.map((client) => [client.number as number, client]));
  const byEmail = new Map(desired.map((client) => [emailKey(client.email), client]));
  const both: (readonly [DesiredClient, number])[] = [];
  const obsolete: number[] = [];
  const rest: number[] = [];
  const foreign: number[] = [];
  const found = new Set<DesiredClient>();
  for (const [i, mark] of clients.marks.entries()) {
    const client = byNumber.get(mark);
    if (mark === OTHER_CENTRE) foreign.push(i);
    else if (mark === 0) rest.push(i);
    else if (!client || found.has(client)) obsolete.push(i);
    else {
      found.add(client);
      both.push([client, i]);
    }
  }
  for (const i of rest) {
    const client = byEmail.get(emailKey(clients.emails[i] ?? ''));
    if (!client || found.has(client)) foreign.push(i);
    else {
      found.add(client);
      both.push([client, i]);
    }
  }
  return { both, missing: desired.filter((client) => !found.has(client)), obsolete, foreign };
}
