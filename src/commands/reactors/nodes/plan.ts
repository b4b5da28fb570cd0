import { emailKey } from '../../../events/client/client-document.js';
import type { InboundId } from '../../../events/ids.js';
import { OF_ANOTHER } from '../../../lib/node-words.js';
import type { ListedInbound, NodeListing, WantedClient, WantedInbound } from '../../ports/remote-panel.js';
import { compare, compareMissing, within } from './compare-inbound.js';
import { type Had, isShared, matchInbounds } from './match.js';
import type { Gate } from './node-gate.js';
import { FEW, type InboundPlan, isTold, type NodeStep, refusals, shutStep, whyLeft } from './steps.js';

/** An account in one of our inbounds that is not from us. */
export interface UnmanagedClient {
  readonly inbound: string;
  readonly email: string;
}

export interface NodePlan {
  readonly inbounds: readonly InboundPlan[];
  /** Tags of inbounds that only the node has. */
  readonly unmanaged: readonly string[];
  readonly clients: readonly UnmanagedClient[];
}

interface Known {
  readonly had: readonly Had[];
  /** Bytes that the clients of this email have used since they last began at zero, on all machines. */
  readonly used: (client: WantedClient) => number;
  readonly usedBy: (inbound: InboundId) => number;
  readonly gate: Gate;
  /** Clients that were deleted from an inbound and may still be on the node. */
  readonly leaving: (inbound: InboundId) => readonly number[];
}

const ADD: NodeStep = { do: 'add' };
const REMOVE: NodeStep = { do: 'remove' };
const SWITCH_OFF: NodeStep = { do: 'switchOff' };
/** Clients that are taken out of an inbound one by one in one go. */
const MANY = 500;

/**
 * What is to be done so that a node has what is wanted. Unmanaged items are named and left alone. It looks at states and not at
 * what happened, so whatever was lost, turned back or done twice comes right. It pauses; `wanted` must not change.
 */
export async function planNode(
  wanted: readonly WantedInbound[],
  { inbounds: listed, unreadable }: NodeListing,
  known: Known,
): Promise<NodePlan> {
  const tags = new Set(wanted.map(({ tag }) => tag));
  const plans: InboundPlan[] = [];
  const unmanaged: UnmanagedClient[] = [];
  const others = emailsOfOthers(listed);
  const { matches, claimed, former } = matchInbounds(wanted, listed, known.had);
  for (const { wanted: inbound, listed: there, foreign } of matches) {
    const plan = { inbound: inbound.id, wanted: inbound, tag: inbound.tag, listed: there };
    const nothing = { ...plan, steps: [], waits: false, reason: null, cutThere: [] };
    if (unreadable.includes(inbound.tag)) plans.push({ ...nothing, reason: refusals.unreadable });
    else if (foreign)
      plans.push({ ...nothing, reason: there && isShared(there) ? refusals.managed : refusals.foreign });
    else if (there === null) {
      const { clients, reason, waits } = compareMissing(inbound, inbound.clients, { ...known, others });
      const now = clients === null ? inbound : within(inbound, clients);
      plans.push({ ...nothing, wanted: now, reason, waits, steps: [ADD] });
    } else {
      const compared = await compare(inbound, there, { ...known, others });
      for (const email of compared.unmanaged) unmanaged.push({ inbound: inbound.tag, email });
      plans.push({ ...nothing, ...compared.plan });
    }
  }
  const marks = new Set(listed.flatMap(({ clients }) => clients.marks.filter((mark) => mark > 0)));
  const blocked = new Set(matches.flatMap(({ wanted: { id }, foreign }) => (foreign ? [id] : [])));
  for (const had of known.had) {
    const lefts = former(had);
    // What cannot go on under its new name goes on under the old one.
    if (!had.deleted && blocked.has(had.inbound)) {
      for (const left of lefts) claimed.add(left);
      continue;
    }
    const gone = { inbound: had.inbound, wanted: null, waits: false, reason: null, cutThere: [] };
    if (had.deleted && lefts.length === 0) {
      // Another one of ours has its place, with its clients for now.
      const waits = known.leaving(had.inbound).some((number) => marks.has(number));
      plans.push({ ...gone, waits, tag: had.tags.at(-1) ?? '', listed: null, steps: [] });
    }
    for (const left of lefts) {
      const plan = { ...gone, tag: left.tag, listed: left };
      const reason = whyLeft(left);
      const { steps, waits } = reason === null ? removal(had.inbound, left, known.gate) : ours(left, known.gate);
      // One that goes on under another name is not refused because of what is left of it.
      if (had.deleted) plans.push({ ...plan, steps, waits, reason });
      else if (steps.length > 0 || waits) plans.push({ ...plan, steps, waits });
      if (had.deleted || steps.length > 0 || waits) claimed.add(left);
    }
  }
  const foreign = listed.filter((inbound) => !claimed.has(inbound)).map(({ tag }) => tag);
  return {
    inbounds: plans,
    unmanaged: [...foreign, ...unreadable.filter((tag) => !tags.has(tag))],
    clients: unmanaged,
  };
}

/** Keys of the emails of clients that another centre put there. */
function emailsOfOthers(listed: readonly ListedInbound[]): ReadonlySet<string> {
  const theirs = ({ clients: { marks, emails } }: ListedInbound): readonly string[] =>
    emails.filter((_, i) => marks[i] === OF_ANOTHER);
  return new Set(listed.filter(isShared).flatMap(theirs).map(emailKey));
}

type Removal = Pick<InboundPlan, 'steps' | 'waits'>;

/** Takes away an inbound that is ours alone: off first, and away when its last bytes were counted. */
function removal(inbound: InboundId, left: ListedInbound, gate: Gate): Removal {
  if (gate.removes(inbound, left)) return { steps: [REMOVE], waits: false };
  return { steps: left.enabled ? [SWITCH_OFF] : [], waits: true };
}

/** Takes out what is ours of an inbound that is not ours alone. */
function ours({ clients: { marks, emails, keys, raws, open } }: ListedInbound, gate: Gate): Removal {
  const steps: NodeStep[] = [];
  let waits = false;
  for (const [i, mark] of marks.entries()) {
    const email = emails[i] ?? '';
    if (mark <= 0) continue;
    if (gate.leaves(email)) steps.push({ do: 'deleteClient', email });
    else {
      waits = true;
      if (open[i] !== 0) steps.push(shutStep(keys[i] ?? '', raws[i] ?? ''));
    }
  }
  return { steps: steps.filter(isTold).slice(0, MANY), waits };
}

/** Takes out many of them at once, for one who knows what the inbound is to be besides. */
export function takenOut(plan: InboundPlan, wanted: WantedInbound | undefined): InboundPlan {
  const { listed, steps } = plan;
  if (!wanted || !listed || isShared(listed) || steps.length <= FEW) return plan;
  const { raws, marks } = listed.clients;
  const others = raws.filter((_, i) => (marks[i] ?? 0) <= 0);
  return {
    ...plan,
    wanted: { ...wanted, tag: listed.tag, clients: [] },
    steps: [{ do: 'update', others, pieces: steps }],
  };
}
