import { emailKey } from '../../../events/client/client-document.js';
import type { InboundId } from '../../../events/ids.js';
import type { DesiredClient, DesiredInbound } from '../../../events/node/desired-state.js';
import { OTHER_CENTRE } from '../../../lib/ownership-mark.js';
import type { ListedInbound, NodeListing } from '../../ports/remote-panel.js';
import { compare, compareMissing, withClients } from './compare-inbound.js';
import type { Gate } from './disconnect-tracker.js';
import { isShared, matchInbounds, type SentInbound } from './match.js';
import {
  disableStep,
  type InboundPlan,
  isSendable,
  MAX_SINGLE_CHANGES,
  type NodeStep,
  refusals,
  removalObstacle,
} from './steps.js';

/** A client in one of our inbounds that this panel did not create. */
interface ForeignClient {
  readonly inbound: string;
  readonly email: string;
}

export interface NodePlan {
  readonly inbounds: readonly InboundPlan[];
  /** Tags of inbounds that only the node has. */
  readonly foreignInbounds: readonly string[];
  readonly clients: readonly ForeignClient[];
}

interface Known {
  readonly sent: readonly SentInbound[];
  /** Bytes that the clients with this email have used on all machines since the last reset. */
  readonly used: (client: DesiredClient) => number;
  readonly usedBy: (inbound: InboundId) => number;
  readonly gate: Gate;
  /** Clients that were deleted from an inbound and may still be on the node. */
  readonly leaving: (inbound: InboundId) => readonly number[];
}

const ADD: NodeStep = { do: 'add' };
const REMOVE: NodeStep = { do: 'remove' };
const SWITCH_OFF: NodeStep = { do: 'setEnabled', enabled: false };
/** Clients that are removed from an inbound one by one in one round. */
const REMOVALS_PER_ROUND = 500;

/**
 * The steps that make a node equal to its desired state. Foreign inbounds and clients are listed and left alone. States are
 * compared and not events, so a lost answer or a restored disk is corrected. Yields to the event loop; `desired` must not
 * change meanwhile.
 */
export async function planNode(
  desired: readonly DesiredInbound[],
  { inbounds: listed, unreadable }: NodeListing,
  known: Known,
): Promise<NodePlan> {
  const tags = new Set(desired.map(({ tag }) => tag));
  const plans: InboundPlan[] = [];
  const foreignClients: ForeignClient[] = [];
  const others = emailsOfOtherCentres(listed);
  const { matches, claimed, leftBehind } = matchInbounds(desired, listed, known.sent);
  for (const { desired: inbound, listed: counterpart, foreign } of matches) {
    const plan = { inbound: inbound.id, desired: inbound, tag: inbound.tag, listed: counterpart };
    const nothing = { ...plan, steps: [], waits: false, reason: null, depletedOnNode: [] };
    if (unreadable.includes(inbound.tag)) plans.push({ ...nothing, reason: refusals.unreadable });
    else if (foreign)
      plans.push({
        ...nothing,
        reason: counterpart && isShared(counterpart) ? refusals.managedByAnother : refusals.foreign,
      });
    else if (counterpart === null) {
      const { clients, reason, waits } = compareMissing(inbound, inbound.clients, { ...known, others });
      const now = clients === null ? inbound : withClients(inbound, clients);
      plans.push({ ...nothing, desired: now, reason, waits, steps: [ADD] });
    } else {
      const compared = await compare(inbound, counterpart, { ...known, others });
      for (const email of compared.foreign) foreignClients.push({ inbound: inbound.tag, email });
      plans.push({ ...nothing, ...compared.plan });
    }
  }
  const marks = new Set(listed.flatMap(({ clients }) => clients.marks.filter((mark) => mark > 0)));
  const blocked = new Set(matches.flatMap(({ desired: { id }, foreign }) => (foreign ? [id] : [])));
  for (const sent of known.sent) {
    const leftovers = leftBehind(sent);
    // If the new tag is taken, the inbound keeps its old one.
    if (!sent.deleted && blocked.has(sent.inbound)) {
      for (const leftover of leftovers) claimed.add(leftover);
      continue;
    }
    const base = { inbound: sent.inbound, desired: null, waits: false, reason: null, depletedOnNode: [] };
    if (sent.deleted && leftovers.length === 0) {
      // Another inbound of ours took its place and still has its clients.
      const waits = known.leaving(sent.inbound).some((number) => marks.has(number));
      plans.push({ ...base, waits, tag: sent.tags.at(-1) ?? '', listed: null, steps: [] });
    }
    for (const leftover of leftovers) {
      const plan = { ...base, tag: leftover.tag, listed: leftover };
      const reason = removalObstacle(leftover);
      const { steps, waits } =
        reason === null ? removal(sent.inbound, leftover, known.gate) : ours(leftover, known.gate);
      // What is left of a renamed inbound is no reason to refuse it.
      if (sent.deleted) plans.push({ ...plan, steps, waits, reason });
      else if (steps.length > 0 || waits) plans.push({ ...plan, steps, waits });
      if (sent.deleted || steps.length > 0 || waits) claimed.add(leftover);
    }
  }
  const foreign = listed.filter((inbound) => !claimed.has(inbound)).map(({ tag }) => tag);
  return {
    inbounds: plans,
    foreignInbounds: [...foreign, ...unreadable.filter((tag) => !tags.has(tag))],
    clients: foreignClients,
  };
}

/** Keys of the emails of clients that another centre created. */
function emailsOfOtherCentres(listed: readonly ListedInbound[]): ReadonlySet<string> {
  const markedEmails = ({ clients: { marks, emails } }: ListedInbound): readonly string[] =>
    emails.filter((_, i) => marks[i] === OTHER_CENTRE);
  return new Set(listed.filter(isShared).flatMap(markedEmails).map(emailKey));
}

type Removal = Pick<InboundPlan, 'steps' | 'waits'>;

/** Removes an inbound that is entirely ours: disabled first, and removed when its last bytes are counted. */
function removal(inbound: InboundId, inboundOnNode: ListedInbound, gate: Gate): Removal {
  if (gate.mayRemoveInbound(inbound, inboundOnNode)) return { steps: [REMOVE], waits: false };
  return { steps: inboundOnNode.enabled ? [SWITCH_OFF] : [], waits: true };
}

/** Removes our clients from an inbound that also has others. */
function ours({ clients: { marks, emails, keys, raws, open } }: ListedInbound, gate: Gate): Removal {
  const steps: NodeStep[] = [];
  let waits = false;
  for (const [i, mark] of marks.entries()) {
    const email = emails[i] ?? '';
    if (mark <= 0) continue;
    if (gate.mayRemoveClient(email)) steps.push({ do: 'deleteClient', email });
    else {
      waits = true;
      if (open[i] !== 0) steps.push(disableStep(keys[i] ?? '', raws[i] ?? ''));
    }
  }
  return { steps: steps.filter(isSendable).slice(0, REMOVALS_PER_ROUND), waits };
}

/** The same for many clients, as one update of the inbound. */
export function asUpdate(plan: InboundPlan, desired: DesiredInbound | undefined): InboundPlan {
  const { listed, steps } = plan;
  if (!desired || !listed || isShared(listed) || steps.length <= MAX_SINGLE_CHANGES) return plan;
  const { raws, marks } = listed.clients;
  const others = raws.filter((_, i) => (marks[i] ?? 0) <= 0);
  return {
    ...plan,
    desired: { ...desired, tag: listed.tag, clients: [] },
    steps: [{ do: 'update', others, pieces: steps }],
  };
}
