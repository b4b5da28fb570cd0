import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { emailKey } from '../../../events/client/client-document.js';
import type { DesiredClient, DesiredInbound } from '../../../events/node/desired-state.js';
import type { JsonObject } from '../../../lib/json.js';
import { PREVIOUS_CENTRE } from '../../../lib/ownership-mark.js';
import { clientDigest } from '../../../lib/panel-wire.js';
import type { ListedInbound } from '../../ports/remote-panel.js';
import type { Gate } from './disconnect-tracker.js';
import { isShared, matchClients } from './match.js';
import {
  disabledClient,
  disableStep,
  type InboundPlan,
  isSendable,
  MAX_SINGLE_CHANGES,
  type NodeStep,
  refusals,
  removalObstacle,
} from './steps.js';

interface Known {
  /** Bytes that the clients with this email have used on all machines since the last reset. */
  readonly used: (client: DesiredClient) => number;
  readonly usedBy: (inbound: DesiredInbound['id']) => number;
  readonly gate: Gate;
  /** Keys of the emails that belong to another centre. */
  readonly others: ReadonlySet<string>;
}

interface Compared {
  readonly plan: Pick<InboundPlan, 'desired' | 'steps' | 'waits' | 'reason' | 'depletedOnNode'>;
  /** Emails. */
  readonly foreign: readonly string[];
}

/** Clients that are sent one by one in a round when the node declines the whole inbound. */
const SINGLE_CLIENTS_PER_ROUND = 50;
/** Clients that are renamed in one round. */
const RENAMES_PER_ROUND = 50;
/** Counters that are reset in one round. */
const RESETS_PER_ROUND = 50;
/** Clients that are compared before the event loop runs. */
const CLIENTS_PER_TURN = 500;

/** The steps for an inbound that exists on the node and is desired. Yields to the event loop. */
export async function compare(inbound: DesiredInbound, listed: ListedInbound, known: Known): Promise<Compared> {
  if (listed.clients.emails.length > CLIENTS_PER_TURN) await yieldToEventLoop();
  const { raws, emails } = listed.clients;
  const { missing: missingClients, foreign } = matchClients(inbound, listed.clients);
  const staying = await compareDesiredClients(inbound, listed, known);
  const leaving = compareRemovedClients(inbound, listed, known.gate);
  const changes = [...leaving.disables, ...staying.cuts, ...staying.changes];
  // A 3x-ui creates a counter only when a client is added to its inbound.
  const uncounted = new Set(staying.uncounted);
  const foreignEmails = foreign.map((i) => emails[i] ?? '');
  if (isShared(listed)) {
    // Two centres share this inbound: access of our clients is changed one by one, its settings are left alone.
    const steps = [...leaving.deletions, ...staying.renames, ...changes]
      .filter(isSendable)
      .slice(0, MAX_SINGLE_CHANGES);
    const plan = {
      desired: inbound,
      steps,
      waits: leaving.waits || staying.waits,
      reason: removalObstacle(listed),
      depletedOnNode: [],
    };
    return { plan, foreign: foreignEmails };
  }
  const { missing, clients, reason, waits } = compareMissing(inbound, missingClients, {
    ...known,
    usedCredentials: leaving.held,
  });
  const rest = uncounted.size === 0 ? clients : (clients ?? inbound.clients).filter((one) => !uncounted.has(one));
  const desired = rest === null && staying.sentAs.size === 0 ? inbound : withClients(inbound, rest, staying.sentAs);
  const count = missing.length + changes.length + leaving.deletions.length;
  const emptied = leaving.deletions.length > 0 && leaving.deletions.length === emails.length;
  const needsUpdate = ![...changes, ...leaving.deletions].every(isSendable) || leaving.shared || uncounted.size > 0;
  // The mark of an inbound can only be written with the whole inbound.
  const differs = listed.digest !== inbound.digest || listed.tag !== inbound.tag || listed.mark === PREVIOUS_CENTRE;
  const carried = listed.counter.up + listed.counter.down;
  const isOver = inbound.enabled && isDepletedByCount(carried, inbound.capBytes, known.usedBy(inbound.id));
  const inboundReset: NodeStep[] = isOver ? [{ do: 'resetInbound' }] : [];
  // Counters are reset first, so that the node does not cut the clients again. Renames come before an update of the whole
  // inbound, which would start their counters at zero.
  const steps: NodeStep[] = [...inboundReset, ...[...staying.resets, ...staying.renames].filter(isSendable)];
  const switchTo: NodeStep = { do: 'setEnabled', enabled: inbound.enabled };
  const single: NodeStep[] = listed.enabled === inbound.enabled ? [] : [switchTo];
  single.push(...leaving.deletions, ...changes);
  if (differs || needsUpdate || emptied || count > MAX_SINGLE_CHANGES) {
    const added = missing.map((client): NodeStep => ({ do: 'addClients', clients: [client] }));
    const pieces = [...single, ...added].filter(isSendable).slice(0, SINGLE_CLIENTS_PER_ROUND);
    // It may be off on the node only because its cap is reached there; an update with a higher cap would open it.
    if (!inbound.enabled && !listed.enabled) steps.push(switchTo);
    steps.push({ do: 'update', others: [...foreign.flatMap((i) => raws[i] ?? []), ...leaving.stay], pieces });
  } else {
    steps.push(...single);
    if (missing.length > 0) steps.push({ do: 'addClients', clients: missing });
  }
  return {
    plan: {
      desired,
      reason,
      steps,
      waits: waits || staying.waits || leaving.waits || uncounted.size > 0,
      depletedOnNode: staying.depletedOnNode,
    },
    foreign: foreignEmails,
  };
}

/** Clients that are desired and on the node. `sentAs`: what is sent for now, where that differs from the desired state. */
async function compareDesiredClients(inbound: DesiredInbound, { clients: listed }: ListedInbound, known: Known) {
  const { emails, keys, digests, credentials, up, down, open } = listed;
  const changes: NodeStep[] = [];
  /** Clients that lose access are sent before those with other changes. */
  const cuts: NodeStep[] = [];
  const renames: NodeStep[] = [];
  const resets: NodeStep[] = [];
  const depletedOnNode: number[] = [];
  const sentAs = new Map<DesiredClient, DesiredClient>();
  const uncounted: DesiredClient[] = [];
  for (const [n, [desired, i]] of matchClients(inbound, listed).both.entries()) {
    if (n > 0 && n % CLIENTS_PER_TURN === 0) await yieldToEventLoop();
    if (known.gate.isUncounted(desired.number)) uncounted.push(desired);
    const isDisabledThere = desired.enabled && open[i] === 0;
    if (isDisabledThere && desired.capBytes > 0 && !known.others.has(emailKey(desired.email))) {
      const bytes = (up[i] ?? 0) + (down[i] ?? 0);
      if (isDepletedByCount(bytes, desired.capBytes, known.used(desired)) && resets.length < RESETS_PER_ROUND) {
        resets.push({ do: 'resetClient', email: emails[i] ?? '' });
        depletedOnNode.push(desired.number);
      }
    }
    if (digests[i] === desired.digest && !isDisabledThere) continue;
    const email = emails[i] ?? '';
    const client = withPossibleEmail(inbound.protocol, desired, email, known.gate, renames.length);
    if (client !== desired) sentAs.set(desired, client);
    if (digests[i] === client.digest && !isDisabledThere) continue;
    if (client.credential !== credentials[i] && open[i] !== 0)
      known.gate.credentialChanged(email, credentials[i] ?? '');
    const step: NodeStep = { do: 'updateClient', key: keys[i] ?? '', client };
    if (emailKey(client.email) !== emailKey(email) && isSendable(step)) renames.push(step);
    else (!client.enabled && open[i] !== 0 ? cuts : changes).push(step);
  }
  return { changes, cuts, renames, resets, depletedOnNode, sentAs, uncounted, waits: sentAs.size > 0 };
}

/** A client with the email that it can have now. */
function withPossibleEmail(
  protocol: string,
  client: DesiredClient,
  email: string,
  gate: Gate,
  renamed: number,
): DesiredClient {
  if (emailKey(email) === emailKey(client.email)) return client;
  const renaming = renamed < RENAMES_PER_ROUND ? gate.renaming(email, client) : 'later';
  if (renaming === 'now') return client;
  return withEmail(protocol, client, renaming === 'later' ? email : `${client.email}~${client.number}`);
}

function withEmail(protocol: string, client: DesiredClient, email: string): DesiredClient {
  const words = { ...(JSON.parse(client.text) as JsonObject), email };
  return { ...client, email, text: JSON.stringify(words), digest: clientDigest(protocol, words) };
}

/** Clients of ours that are no longer desired: disabled first, and removed when their last bytes are counted. */
function compareRemovedClients(inbound: DesiredInbound, { clients: listed }: ListedInbound, gate: Gate) {
  const deletions: NodeStep[] = [];
  const disables: NodeStep[] = [];
  /** JSON texts of those that stay until then. */
  const stay: string[] = [];
  /** Their credentials. */
  const usedCredentials = new Set<string>();
  /** A 3x-ui updates its core for a client with a second inbound only when the whole inbound is sent. */
  let shared = false;
  for (const i of matchClients(inbound, listed).obsolete) {
    const [email = '', raw = '', key = ''] = [listed.emails[i], listed.raws[i], listed.keys[i]];
    if (gate.mayRemoveClient(email)) {
      deletions.push({ do: 'deleteClient', email });
      shared ||= gate.isShared(email);
    } else {
      stay.push(disabledClient(raw));
      usedCredentials.add(listed.credentials[i] ?? '');
      if (listed.open[i] !== 0) disables.push(disableStep(key, raw));
    }
  }
  return { deletions, disables, stay, held: usedCredentials, shared, waits: stay.length > 0 };
}

/**
 * The new clients that can be added. A node has one counter for an email, so an email of another centre is refused; an email
 * or credential that is still in use waits. `usedCredentials`: those of accounts that are about to be removed. `clients`: those
 * that are sent; null = all.
 */
export function compareMissing(
  inbound: DesiredInbound,
  missing: readonly DesiredClient[],
  {
    gate,
    others,
    usedCredentials = new Set(),
  }: Pick<Known, 'gate' | 'others'> & { readonly usedCredentials?: ReadonlySet<string> },
) {
  const taken = new Set(others.size === 0 ? [] : missing.filter(({ email }) => others.has(emailKey(email))));
  const isBusy = ({ email, credential }: DesiredClient): boolean =>
    !gate.isFree(email) || usedCredentials.has(credential);
  const later = new Set(missing.filter((client) => !taken.has(client) && isBusy(client)));
  const isOut = (client: DesiredClient): boolean => taken.has(client) || later.has(client);
  return {
    missing: missing.filter((client) => !isOut(client)),
    clients: taken.size + later.size === 0 ? null : inbound.clients.filter((client) => !isOut(client)),
    reason: taken.size > 0 ? refusals.emailTaken : null,
    waits: later.size > 0,
  };
}

/** An inbound with only these clients, as they are sent for now. */
export function withClients(
  inbound: DesiredInbound,
  clients: readonly DesiredClient[] | null,
  sentAs: ReadonlyMap<DesiredClient, DesiredClient> = new Map(),
): DesiredInbound {
  return { ...inbound, clients: (clients ?? inbound.clients).map((client) => sentAs.get(client) ?? client) };
}

/**
 * Whether a node has cut by its own count what all machines together have not used up. A count that is merely higher than
 * what was credited here is left alone: it is the baseline of the node.
 */
function isDepletedByCount(bytes: number, cap: number, used: number): boolean {
  return cap > 0 && bytes >= cap && bytes > used;
}
