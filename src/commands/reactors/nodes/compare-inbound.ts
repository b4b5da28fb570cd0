import { setImmediate as breathe } from 'node:timers/promises';
import { emailKey } from '../../../events/client/client-document.js';
import type { JsonObject } from '../../../lib/json.js';
import { clientDigest, OF_BEFORE } from '../../../lib/node-words.js';
import type { ListedInbound, WantedClient, WantedInbound } from '../../ports/remote-panel.js';
import { isShared, matchClients } from './match.js';
import type { Gate } from './node-gate.js';
import { FEW, type InboundPlan, isTold, type NodeStep, refusals, shut, shutStep, whyLeft } from './steps.js';

interface Known {
  /** Bytes that the clients of this email have used since they last began at zero, on all machines. */
  readonly used: (client: WantedClient) => number;
  readonly usedBy: (inbound: WantedInbound['id']) => number;
  readonly gate: Gate;
  /** Keys of the emails that belong to another centre. */
  readonly others: ReadonlySet<string>;
}

interface Compared {
  readonly plan: Pick<InboundPlan, 'wanted' | 'steps' | 'waits' | 'reason' | 'cutThere'>;
  /** Emails. */
  readonly unmanaged: readonly string[];
}

/** Clients that are told one by one in one go because the node declines the whole inbound. */
const PIECES = 50;
/** Clients that get another name in one go. */
const RENAMES = 50;
/** Counters that are reset in one go. */
const RESETS = 50;
/** Clients that are compared without a pause. */
const SLICE = 500;

/** What is to be done about an inbound that is there, and shall be. It pauses. */
export async function compare(inbound: WantedInbound, listed: ListedInbound, known: Known): Promise<Compared> {
  if (listed.clients.emails.length > SLICE) await breathe();
  const { raws, emails } = listed.clients;
  const { missing: absent, unmanaged } = matchClients(inbound, listed.clients);
  const staying = await compareStaying(inbound, listed, known);
  const leaving = compareLeaving(inbound, listed, known.gate);
  const changes = [...leaving.shuts, ...staying.cuts, ...staying.changes];
  // A 3x-ui makes a counter only for a client that is new to its inbound.
  const uncounted = new Set(staying.uncounted);
  const named = unmanaged.map((i) => emails[i] ?? '');
  if (isShared(listed)) {
    // What lets in and cuts is done one by one; the rest is not for one of two to decide.
    const steps = [...leaving.deletions, ...staying.renames, ...changes].filter(isTold).slice(0, FEW);
    const plan = {
      wanted: inbound,
      steps,
      waits: leaving.waits || staying.waits,
      reason: whyLeft(listed),
      cutThere: [],
    };
    return { plan, unmanaged: named };
  }
  const { missing, clients, reason, waits } = compareMissing(inbound, absent, { ...known, held: leaving.held });
  const rest = uncounted.size === 0 ? clients : (clients ?? inbound.clients).filter((one) => !uncounted.has(one));
  const wanted = rest === null && staying.told.size === 0 ? inbound : within(inbound, rest, staying.told);
  const count = missing.length + changes.length + leaving.deletions.length;
  const emptied = leaving.deletions.length > 0 && leaving.deletions.length === emails.length;
  const awkward = ![...changes, ...leaving.deletions].every(isTold) || leaving.shared || uncounted.size > 0;
  // The mark of the inbound goes with the whole alone.
  const differs = listed.digest !== inbound.digest || listed.tag !== inbound.tag || listed.mark === OF_BEFORE;
  const carried = listed.counter.up + listed.counter.down;
  const isOver = inbound.enabled && isCutByCount(carried, inbound.capBytes, known.usedBy(inbound.id));
  const anew: NodeStep[] = isOver ? [{ do: 'resetInbound' }] : [];
  // Counters first: with them at zero nobody is cut again at once. With the whole inbound a name would begin at zero.
  const steps: NodeStep[] = [...anew, ...[...staying.resets, ...staying.renames].filter(isTold)];
  const single: NodeStep[] = listed.enabled === inbound.enabled ? [] : [{ do: 'switch' }];
  single.push(...leaving.deletions, ...changes);
  if (differs || awkward || emptied || count > FEW) {
    const added = missing.map((client): NodeStep => ({ do: 'addClients', clients: [client] }));
    const pieces = [...single, ...added].filter(isTold).slice(0, PIECES);
    // Off there may only mean that its cap is reached there, and an update with a higher one would open it.
    if (!inbound.enabled && !listed.enabled) steps.push({ do: 'switch' });
    steps.push({ do: 'update', others: [...unmanaged.flatMap((i) => raws[i] ?? []), ...leaving.stay], pieces });
  } else {
    steps.push(...single);
    if (missing.length > 0) steps.push({ do: 'addClients', clients: missing });
  }
  return {
    plan: {
      wanted,
      reason,
      steps,
      waits: waits || staying.waits || leaving.waits || uncounted.size > 0,
      cutThere: staying.cutThere,
    },
    unmanaged: named,
  };
}

/** Clients that are wanted and there. `told`: what they are told to be for now, where that is not what is wanted. */
async function compareStaying(inbound: WantedInbound, { clients: listed }: ListedInbound, known: Known) {
  const { emails, keys, digests, credentials, up, down, open } = listed;
  const changes: NodeStep[] = [];
  /** Whoever is to be shut out goes before those of whom only words differ. */
  const cuts: NodeStep[] = [];
  const renames: NodeStep[] = [];
  const resets: NodeStep[] = [];
  const cutThere: number[] = [];
  const told = new Map<WantedClient, WantedClient>();
  const uncounted: WantedClient[] = [];
  for (const [n, [wanted, i]] of matchClients(inbound, listed).both.entries()) {
    if (n > 0 && n % SLICE === 0) await breathe();
    if (known.gate.isUncounted(wanted.number)) uncounted.push(wanted);
    const isShut = wanted.enabled && open[i] === 0;
    if (isShut && wanted.capBytes > 0 && !known.others.has(emailKey(wanted.email))) {
      const bytes = (up[i] ?? 0) + (down[i] ?? 0);
      if (isCutByCount(bytes, wanted.capBytes, known.used(wanted)) && resets.length < RESETS) {
        resets.push({ do: 'resetClient', email: emails[i] ?? '' });
        cutThere.push(wanted.number);
      }
    }
    if (digests[i] === wanted.digest && !isShut) continue;
    const email = emails[i] ?? '';
    const client = namedForNow(inbound.protocol, wanted, email, known.gate, renames.length);
    if (client !== wanted) told.set(wanted, client);
    if (digests[i] === client.digest && !isShut) continue;
    if (client.credential !== credentials[i] && open[i] !== 0) known.gate.rotates(email, credentials[i] ?? '');
    const step: NodeStep = { do: 'updateClient', key: keys[i] ?? '', client };
    if (emailKey(client.email) !== emailKey(email) && isTold(step)) renames.push(step);
    else (!client.enabled && open[i] !== 0 ? cuts : changes).push(step);
  }
  return { changes, cuts, renames, resets, cutThere, told, uncounted, waits: told.size > 0 };
}

/** A client under the name that it may have now. */
function namedForNow(protocol: string, client: WantedClient, email: string, gate: Gate, renamed: number): WantedClient {
  if (emailKey(email) === emailKey(client.email)) return client;
  const renaming = renamed < RENAMES ? gate.renames(email, client) : 'later';
  if (renaming === 'now') return client;
  return named(protocol, client, renaming === 'later' ? email : `${client.email}~${client.number}`);
}

function named(protocol: string, client: WantedClient, email: string): WantedClient {
  const words = { ...(JSON.parse(client.text) as JsonObject), email };
  return { ...client, email, text: JSON.stringify(words), digest: clientDigest(protocol, words) };
}

/** Clients that we put there and want there no more: shut first, and taken away when their last bytes were counted. */
function compareLeaving(inbound: WantedInbound, { clients: listed }: ListedInbound, gate: Gate) {
  const deletions: NodeStep[] = [];
  const shuts: NodeStep[] = [];
  /** JSON texts of those that stay for now. */
  const stay: string[] = [];
  /** Their credentials. */
  const held = new Set<string>();
  /** A 3x-ui does not tell its core of one that is in another inbound too, unless the whole inbound is told. */
  let shared = false;
  for (const i of matchClients(inbound, listed).gone) {
    const [email = '', raw = '', key = ''] = [listed.emails[i], listed.raws[i], listed.keys[i]];
    if (gate.leaves(email)) {
      deletions.push({ do: 'deleteClient', email });
      shared ||= gate.isShared(email);
    } else {
      stay.push(shut(raw));
      held.add(listed.credentials[i] ?? '');
      if (listed.open[i] !== 0) shuts.push(shutStep(key, raw));
    }
  }
  return { deletions, shuts, stay, held, shared, waits: stay.length > 0 };
}

/**
 * Without those new clients that another centre has under the same email, since a node has one counter for it; and for now
 * without those whose email, or credential, is not free yet. `held`: credentials of accounts that are still to leave the
 * inbound. `clients`: those that are told; null = all.
 */
export function compareMissing(
  inbound: WantedInbound,
  missing: readonly WantedClient[],
  { gate, others, held = new Set() }: Pick<Known, 'gate' | 'others'> & { readonly held?: ReadonlySet<string> },
) {
  const taken = new Set(others.size === 0 ? [] : missing.filter(({ email }) => others.has(emailKey(email))));
  const isBusy = ({ email, credential }: WantedClient): boolean => !gate.isFree(email) || held.has(credential);
  const later = new Set(missing.filter((client) => !taken.has(client) && isBusy(client)));
  const isOut = (client: WantedClient): boolean => taken.has(client) || later.has(client);
  return {
    missing: missing.filter((client) => !isOut(client)),
    clients: taken.size + later.size === 0 ? null : inbound.clients.filter((client) => !isOut(client)),
    reason: taken.size > 0 ? refusals.taken : null,
    waits: later.size > 0,
  };
}

/** An inbound with these clients alone, as they are told for now. */
export function within(
  inbound: WantedInbound,
  clients: readonly WantedClient[] | null,
  told: ReadonlyMap<WantedClient, WantedClient> = new Map(),
): WantedInbound {
  return { ...inbound, clients: (clients ?? inbound.clients).map((client) => told.get(client) ?? client) };
}

/**
 * Whether a node has cut by a count of its own what all machines together have not used up. A count that is merely higher
 * than what was credited here is left alone: it is what the node is followed by.
 */
function isCutByCount(bytes: number, cap: number, used: number): boolean {
  return cap > 0 && bytes >= cap && bytes > used;
}
