import type { InboundId } from '../../../events/ids.js';
import { OF_ANOTHER } from '../../../lib/node-words.js';
import type { ListedInbound, WantedClient, WantedInbound } from '../../ports/remote-panel.js';

/** One request that brings a node nearer to what is wanted. */
export type NodeStep =
  | { readonly do: 'add' | 'remove' | 'switch' | 'switchOff' | 'resetInbound' }
  | {
      readonly do: 'update';
      /** JSON texts of clients that stay there beside those that are wanted. */
      readonly others: readonly string[];
      /** What can be done for single clients where the node declines the whole. */
      readonly pieces: readonly NodeStep[];
    }
  | { readonly do: 'addClients'; readonly clients: readonly WantedClient[] }
  | { readonly do: 'updateClient'; readonly key: string; readonly client: Pick<WantedClient, 'text'> }
  | { readonly do: 'deleteClient' | 'resetClient'; readonly email: string };

/** What is to be done about one inbound. */
export interface InboundPlan {
  readonly inbound: InboundId;
  /** The name under which it is there, or will be. */
  readonly tag: string;
  /** What it is told to have now; null = it was deleted here. */
  readonly wanted: WantedInbound | null;
  /** Null = it is not there. */
  readonly listed: ListedInbound | null;
  /** None = it is as it is wanted, unless it is refused or waits. */
  readonly steps: readonly NodeStep[];
  /** More is to be done when the time for it has come. */
  readonly waits: boolean;
  /** Why it cannot be had as it is wanted, whatever steps there are; null when it can. */
  readonly reason: string | null;
  /** Numbers of clients that the node has cut by a count of its own, and that are told to begin anew there. */
  readonly cutThere: readonly number[];
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

/** More changed clients than this go along with the whole inbound. */
export const FEW = 20;

/** Whether it can be a request of its own. */
export function isTold(step: NodeStep): boolean {
  if (step.do === 'updateClient') return isPlain(step.key);
  return !('email' in step) || isPlain(step.email);
}

/** Whether it can stand in a path of the API: a slash, even an escaped one, ends a parameter there. */
export function isPlain(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\\%]/.test(text);
}

/** The step that shuts an account which stays there, from its JSON. */
export function shutStep(key: string, raw: string): NodeStep {
  return { do: 'updateClient', key, client: { text: shut(raw) } };
}

/** A client as it is there, shut. */
export function shut(raw: string): string {
  return JSON.stringify({ ...(JSON.parse(raw) as object), enable: false });
}

/** Why an inbound of ours is not taken away with whoever else is in it; null when it can be. */
export function whyLeft({ mark, clients: { marks } }: ListedInbound): string | null {
  if (mark === OF_ANOTHER) return refusals.managed;
  if (marks.includes(OF_ANOTHER)) return refusals.shared;
  return marks.includes(0) ? refusals.guests : null;
}
