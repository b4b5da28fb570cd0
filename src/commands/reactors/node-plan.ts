import { setImmediate as breathe } from 'node:timers/promises';
import { emailKey } from '../../events/client-document.js';
import type { InboundId } from '../../events/ids.js';
import { OF_ANOTHER, OF_BEFORE } from '../../lib/node-words.js';
import type { ListedInbound, NodeListing, WantedClient, WantedInbound } from '../ports/node-panel.js';
import { type Had, isShared, matchClients, matchInbounds } from './node-match.js';

/** One request that brings a node nearer to what is wanted. */
export type NodeStep =
  | { readonly do: 'add' | 'remove' | 'switch' | 'resetInbound' }
  | {
      readonly do: 'update';
      readonly strangers: readonly string[];
      /** What can be done for single clients where the node declines the whole. */
      readonly pieces: readonly NodeStep[];
    }
  | { readonly do: 'addClients'; readonly clients: readonly WantedClient[] }
  | { readonly do: 'updateClient'; readonly key: string; readonly client: WantedClient }
  | { readonly do: 'deleteClient' | 'resetClient'; readonly email: string };

/** An account in one of our inbounds that is not from us. */
export interface Stranger {
  readonly inbound: string;
  readonly email: string;
}

/** What is to be done about one inbound. */
export interface InboundPlan {
  readonly inbound: InboundId;
  /** The name under which it is there, or will be. */
  readonly tag: string;
  /** Null = it was deleted here. */
  readonly wanted: WantedInbound | null;
  /** Null = it is not there. */
  readonly listed: ListedInbound | null;
  /** None = it is as it is wanted, unless it is refused. */
  readonly steps: readonly NodeStep[];
  /** Why it cannot be had as it is wanted, whatever steps there are; null when it can. */
  readonly reason: string | null;
  /** Numbers of clients that the node has cut by a count of its own, and that are told to begin anew there. */
  readonly cutThere: readonly number[];
}

export interface NodePlan {
  readonly inbounds: readonly InboundPlan[];
  /** Tags of inbounds that only the node has. */
  readonly strangers: readonly string[];
  readonly clients: readonly Stranger[];
}

interface Known {
  readonly had: readonly Had[];
  /** Bytes that the clients of this email have used since they last began at zero, on all machines. */
  readonly used: (client: WantedClient) => number;
  readonly usedBy: (inbound: InboundId) => number;
}

/** The reasons of this panel for not trying. */
export const refusals = {
  foreign: 'The node has an inbound of its own under this tag',
  unreadable: 'The node lists this inbound in a way that cannot be read',
  managed: 'Another panel manages this inbound on the node',
  shared: 'Another panel has clients in this inbound on the node',
  taken: 'Another panel has a client of the same email on the node',
  guests: 'The node has clients of its own in this inbound',
} as const;

const ADD: NodeStep = { do: 'add' };
const REMOVE: NodeStep = { do: 'remove' };
/** More changed clients than this go along with the whole inbound. */
const FEW = 20;
/** Clients that are taken out of an inbound one by one in one go. */
const MANY = 500;
/** Clients that are told one by one in one go because the node declines the whole inbound. */
const PIECES = 50;
/** Counters that are begun anew in one go. */
const RESETS = 50;
/** Clients that are compared without a pause. */
const SLICE = 500;

/**
 * What is to be done so that a node has what is wanted. Strangers are left alone and named. It looks at states and not at
 * what happened, so whatever was lost, turned back or done twice comes right. It pauses; `wanted` must not change.
 */
export async function planNode(
  wanted: readonly WantedInbound[],
  { inbounds: listed, unreadable }: NodeListing,
  known: Known,
): Promise<NodePlan> {
  const tags = new Set(wanted.map(({ tag }) => tag));
  const plans: InboundPlan[] = [];
  const strangers: Stranger[] = [];
  const others = emailsOfOthers(listed);
  const { matches, claimed, former } = matchInbounds(wanted, listed, known.had);
  for (const { wanted: inbound, listed: there, foreign } of matches) {
    const plan = { inbound: inbound.id, wanted: inbound, tag: inbound.tag, listed: there };
    const nothing = { ...plan, steps: [], reason: null, cutThere: [] };
    if (unreadable.includes(inbound.tag)) plans.push({ ...nothing, reason: refusals.unreadable });
    else if (foreign)
      plans.push({ ...nothing, reason: there && isShared(there) ? refusals.managed : refusals.foreign });
    else if (there === null) {
      const left = without(inbound, inbound.clients, others);
      plans.push({ ...plan, wanted: left.wanted, reason: left.reason, cutThere: [], steps: [ADD] });
    } else {
      const compared = await compare(inbound, there, known, others);
      strangers.push(...compared.strangers);
      plans.push({ ...nothing, ...compared.plan });
    }
  }
  const blocked = new Set(matches.flatMap(({ wanted: { id }, foreign }) => (foreign ? [id] : [])));
  for (const had of known.had) {
    const lefts = former(had);
    // What cannot go on under its new name goes on under the old one.
    if (!had.deleted && blocked.has(had.inbound)) {
      for (const left of lefts) claimed.add(left);
      continue;
    }
    const gone = { inbound: had.inbound, wanted: null, reason: null, cutThere: [] };
    if (had.deleted && lefts.length === 0) plans.push({ ...gone, tag: had.tags.at(-1) ?? '', listed: null, steps: [] });
    for (const left of lefts) {
      const plan = { ...gone, tag: left.tag, listed: left };
      const reason = whyLeft(left);
      const steps = reason === null ? [REMOVE] : ours(left);
      // One that goes on under another name is not refused because of what is left of it.
      if (had.deleted) plans.push({ ...plan, steps, reason });
      else if (steps.length > 0) plans.push({ ...plan, steps });
      if (had.deleted || steps.length > 0) claimed.add(left);
    }
  }
  const foreign = listed.filter((inbound) => !claimed.has(inbound)).map(({ tag }) => tag);
  return {
    inbounds: plans,
    strangers: [...foreign, ...unreadable.filter((tag) => !tags.has(tag))],
    clients: strangers,
  };
}

interface Compared {
  readonly plan: Pick<InboundPlan, 'wanted' | 'steps' | 'reason' | 'cutThere'>;
  readonly strangers: readonly Stranger[];
}

/** `others`: keys of the emails that belong to another centre. */
async function compare(
  inbound: WantedInbound,
  listed: ListedInbound,
  known: Known,
  others: ReadonlySet<string>,
): Promise<Compared> {
  if (listed.clients.emails.length > SLICE) await breathe();
  const pairs = matchClients(inbound, listed.clients);
  const changes: NodeStep[] = [];
  /** Whoever is to be shut out goes before those of whom only words differ. */
  const cuts: NodeStep[] = [];
  const resets: NodeStep[] = [];
  const cutThere: number[] = [];
  let awkward = false;
  for (const [n, [client, i]] of pairs.both.entries()) {
    if (n > 0 && n % SLICE === 0) await breathe();
    const { emails, keys, digests, up, down, open } = listed.clients;
    const shut = client.enabled && open[i] === 0;
    if (shut && client.capBytes > 0 && !others.has(emailKey(client.email))) {
      const bytes = (up[i] ?? 0) + (down[i] ?? 0);
      if (isCutByCount(bytes, client.capBytes, known.used(client)) && resets.length < RESETS) {
        resets.push({ do: 'resetClient', email: emails[i] ?? '' });
        cutThere.push(client.number);
      }
    }
    if (digests[i] === client.digest && !shut) continue;
    const key = keys[i] ?? '';
    if (!isPlain(key)) awkward = true;
    (!client.enabled && open[i] !== 0 ? cuts : changes).push({ do: 'updateClient', key, client });
  }
  changes.unshift(...cuts);
  const deletions = pairs.gone.map((i): NodeStep => {
    const email = listed.clients.emails[i] ?? '';
    if (!isPlain(email)) awkward = true;
    return { do: 'deleteClient', email };
  });
  const { raws, emails } = listed.clients;
  const strangers = pairs.strangers.map((i) => ({ inbound: listed.tag, email: emails[i] ?? '' }));
  if (isShared(listed)) {
    // What lets in and cuts is done one by one; the rest is not for one of two to decide.
    const steps = [...deletions, ...changes].filter(isTold).slice(0, FEW);
    return { plan: { wanted: inbound, steps, reason: whyLeft(listed), cutThere: [] }, strangers };
  }
  const left = without(inbound, pairs.missing, others);
  const missing = pairs.missing.filter((client) => !left.taken.has(client));
  const count = missing.length + changes.length + deletions.length;
  const emptied = deletions.length > 0 && deletions.length === listed.clients.emails.length;
  // The mark of the inbound goes with the whole alone.
  const differs = listed.digest !== inbound.digest || listed.tag !== inbound.tag || listed.mark === OF_BEFORE;
  const whole = differs || awkward || emptied || count > FEW;
  const carried = listed.counter.up + listed.counter.down;
  const isOver = inbound.enabled && isCutByCount(carried, inbound.capBytes, known.usedBy(inbound.id));
  const anew: NodeStep[] = isOver ? [{ do: 'resetInbound' }] : [];
  // Counters first: with them at zero nobody is cut again at once.
  const steps: NodeStep[] = [...anew, ...resets.filter(isTold)];
  const single: NodeStep[] = listed.enabled === inbound.enabled ? [] : [{ do: 'switch' }];
  single.push(...deletions, ...changes);
  if (!whole) {
    steps.push(...single);
    if (missing.length > 0) steps.push({ do: 'addClients', clients: missing });
  } else {
    const added = missing.map((client): NodeStep => ({ do: 'addClients', clients: [client] }));
    const pieces = [...single, ...added].filter(isTold).slice(0, PIECES);
    steps.push({ do: 'update', strangers: pairs.strangers.flatMap((i) => raws[i] ?? []), pieces });
  }
  return { plan: { wanted: left.wanted, reason: left.reason, steps, cutThere }, strangers };
}

/** Keys of the emails of clients that another centre put there. */
function emailsOfOthers(listed: readonly ListedInbound[]): ReadonlySet<string> {
  const theirs = ({ clients: { marks, emails } }: ListedInbound): readonly string[] =>
    emails.filter((_, i) => marks[i] === OF_ANOTHER);
  return new Set(listed.filter(isShared).flatMap(theirs).map(emailKey));
}

/** Without those new clients that another centre has under the same email: a node has one counter for it. */
function without(inbound: WantedInbound, fresh: readonly WantedClient[], others: ReadonlySet<string>) {
  const taken = new Set(others.size === 0 ? [] : fresh.filter(({ email }) => others.has(emailKey(email))));
  if (taken.size === 0) return { wanted: inbound, reason: null, taken };
  const clients = inbound.clients.filter((client) => !taken.has(client));
  return { wanted: { ...inbound, clients }, reason: refusals.taken, taken };
}

/** Why an inbound of ours is not taken away with whoever else is in it; null when it can be. */
function whyLeft({ mark, clients: { marks } }: ListedInbound): string | null {
  if (mark === OF_ANOTHER) return refusals.managed;
  if (marks.includes(OF_ANOTHER)) return refusals.shared;
  return marks.includes(0) ? refusals.guests : null;
}

/** Takes out what is ours of an inbound that is not ours alone. */
function ours({ clients: { marks, emails } }: ListedInbound): readonly NodeStep[] {
  return marks
    .flatMap((mark, i): NodeStep[] => (mark > 0 ? [{ do: 'deleteClient', email: emails[i] ?? '' }] : []))
    .filter(isTold)
    .slice(0, MANY);
}

/** Takes out many of them at once, for one who knows what the inbound is to be besides. */
export function takenOut(plan: InboundPlan, wanted: WantedInbound | undefined): InboundPlan {
  const { listed, steps } = plan;
  if (!wanted || !listed || isShared(listed) || steps.length <= FEW) return plan;
  const { raws, marks } = listed.clients;
  const strangers = raws.filter((_, i) => (marks[i] ?? 0) <= 0);
  return {
    ...plan,
    wanted: { ...wanted, tag: listed.tag, clients: [] },
    steps: [{ do: 'update', strangers, pieces: steps }],
  };
}

/** Whether it can be a request of its own. */
function isTold(step: NodeStep): boolean {
  if (step.do === 'updateClient') return isPlain(step.key);
  return !('email' in step) || isPlain(step.email);
}

/**
 * Whether a node has cut by a count of its own what all machines together have not used up. A count that is merely higher
 * than what was credited here is left alone: it is what the node is followed by.
 */
function isCutByCount(bytes: number, cap: number, used: number): boolean {
  return cap > 0 && bytes >= cap && bytes > used;
}

/** Whether it can stand in a path of the API: a slash, even an escaped one, ends a parameter there. */
function isPlain(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\\%]/.test(text);
}
