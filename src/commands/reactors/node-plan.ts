import { setImmediate as breathe } from 'node:timers/promises';
import type { InboundId } from '../../events/ids.js';
import type { ListedInbound, NodeListing, WantedClient, WantedInbound } from '../ports/node-panel.js';
import { type Had, matchClients, matchInbounds } from './node-match.js';

/** One request that brings a node nearer to what is wanted. */
export type NodeStep =
  | { readonly do: 'add' | 'update'; readonly strangers: readonly string[] }
  | { readonly do: 'remove' | 'switch' | 'resetInbound' }
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
  /** Why nothing can be done; null when something can. */
  readonly refusal: string | null;
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
  /** A number up to this one is of a client of ours, living or not. */
  readonly lastClient: number;
}

/** The reasons of this panel for not trying. */
export const refusals = {
  foreign: 'The node has an inbound of its own under this tag',
  unreadable: 'The node lists this inbound in a way that cannot be read',
} as const;

/** More changed clients than this go along with the whole inbound. */
const FEW = 20;
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
  const { matches, claimed, former } = matchInbounds(wanted, listed, known.had);
  for (const { wanted: inbound, listed: there, foreign } of matches) {
    const plan = { inbound: inbound.id, wanted: inbound, tag: inbound.tag, listed: there };
    const nothing = { ...plan, steps: [], refusal: null, cutThere: [] };
    if (unreadable.includes(inbound.tag)) plans.push({ ...nothing, refusal: refusals.unreadable });
    else if (foreign) plans.push({ ...nothing, refusal: refusals.foreign });
    else if (there === null) plans.push({ ...nothing, steps: [{ do: 'add', strangers: [] }] });
    else {
      const compared = await compare(inbound, there, known);
      strangers.push(...compared.strangers);
      plans.push({ ...nothing, steps: compared.steps, cutThere: compared.cutThere });
    }
  }
  for (const had of known.had) {
    const lefts = former(had);
    const gone = { inbound: had.inbound, wanted: null, refusal: null, cutThere: [] };
    if (had.deleted && lefts.length === 0) plans.push({ ...gone, tag: had.tags.at(-1) ?? '', listed: null, steps: [] });
    for (const left of lefts) {
      claimed.add(left);
      plans.push({ ...gone, tag: left.tag, listed: left, steps: [{ do: 'remove' }] });
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
  readonly steps: readonly NodeStep[];
  readonly strangers: readonly Stranger[];
  readonly cutThere: readonly number[];
}

async function compare(inbound: WantedInbound, listed: ListedInbound, known: Known): Promise<Compared> {
  if (listed.clients.emails.length > SLICE) await breathe();
  const pairs = matchClients(inbound, listed.clients, known.lastClient);
  const changes: NodeStep[] = [];
  const resets: NodeStep[] = [];
  const cutThere: number[] = [];
  let awkward = false;
  for (const [n, [client, i]] of pairs.both.entries()) {
    if (n > 0 && n % SLICE === 0) await breathe();
    const { emails, keys, digests, up, down, open } = listed.clients;
    const shut = client.enabled && open[i] === 0;
    if (client.capBytes > 0) {
      const bytes = (up[i] ?? 0) + (down[i] ?? 0);
      // Its count would cut, or has cut, a client before all machines together have used what it may.
      if (client.enabled && bytes > known.used(client) && resets.length < RESETS) {
        resets.push({ do: 'resetClient', email: emails[i] ?? '' });
        if (shut) cutThere.push(client.number);
      }
    }
    if (digests[i] === client.digest && !shut) continue;
    const key = keys[i] ?? '';
    if (!isPlain(key)) awkward = true;
    changes.push({ do: 'updateClient', key, client });
  }
  const deletions = pairs.gone.map((i): NodeStep => {
    const email = listed.clients.emails[i] ?? '';
    if (!isPlain(email)) awkward = true;
    return { do: 'deleteClient', email };
  });
  const { strangers: others } = pairs;
  const count = pairs.missing.length + changes.length + deletions.length;
  const emptied = deletions.length > 0 && deletions.length === listed.clients.emails.length;
  const differs = listed.digest !== inbound.digest || listed.tag !== inbound.tag;
  const whole = differs || awkward || emptied || count > FEW;
  const { raws, emails } = listed.clients;
  const strangers = others.map((i) => ({ inbound: listed.tag, email: emails[i] ?? '' }));
  const anew: NodeStep[] =
    inbound.capBytes > 0 && listed.counter.up + listed.counter.down > known.usedBy(inbound.id)
      ? [{ do: 'resetInbound' }]
      : [];
  // Counters first: with them at zero nobody is cut again at once.
  const steps: NodeStep[] = [...anew, ...resets.filter((step) => 'email' in step && isPlain(step.email))];
  if (whole) steps.push({ do: 'update', strangers: others.map((i) => raws[i] ?? '').filter((raw) => raw !== '') });
  else {
    if (listed.enabled !== inbound.enabled) steps.push({ do: 'switch' });
    steps.push(...deletions, ...changes);
    if (pairs.missing.length > 0) steps.push({ do: 'addClients', clients: pairs.missing });
  }
  return { steps, strangers, cutThere };
}

/** Whether it can stand in a path of the API: a slash, even an escaped one, ends a parameter there. */
function isPlain(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\\%]/.test(text);
}
