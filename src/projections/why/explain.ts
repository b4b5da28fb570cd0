import type { Client } from '../../events/client/client-document.js';
import type { NodeId } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import { zoneNamed } from '../../lib/time/calendar.js';
import type { ReadModels } from '../read-models.js';
import { type Chapter, historyOf, type StoryLog, storyOf } from '../story.js';
import { type Why, whyOf } from './why.js';
import type { NodeFacts } from './why-facts.js';

/** Why a client of an inbound may or may not connect, and how that came. */
export interface Explanation extends Why {
  readonly client: Client;
  readonly inbound: Inbound;
  /** The newest last. */
  readonly story: readonly Chapter[];
}

/** Whether a node answers, where somebody asks it; null = it does, or nobody knows. */
export type OfflineReason = (node: NodeId) => string | null;

/** Explains every client of an email, each in its inbound, as it is at `now` (ms); empty where there is none. */
export function explain(
  read: ReadModels,
  log: StoryLog,
  email: string,
  now: number,
  offline: OfflineReason = (node) => recordedReason(read, node),
): readonly Explanation[] {
  return read.clients.byEmail(email).flatMap((client) => {
    const inbound = read.inbounds.get(client.inbound);
    if (!inbound) return [];
    const siblings = read.clients.siblings(client).flatMap((sibling) => {
      const its = read.inbounds.get(sibling.inbound);
      return its ? [{ inbound: its, own: read.usage.clientAlone(sibling) }] : [];
    });
    const node = inbound.node === null ? null : nodeFacts(read, inbound, inbound.node, offline);
    const history = historyOf(log, client.number);
    const facts = {
      client,
      inbound,
      used: read.usage.client(client),
      inboundUsed: read.usage.inbound(inbound),
      siblings,
      core: read.core(),
      node,
      history,
      log,
      now,
      zone: zoneNamed(read.settings.current().timeLocation),
    };
    return [{ client, inbound, ...whyOf(facts), story: storyOf(log, client.number) }];
  });
}

function nodeFacts(read: ReadModels, inbound: Inbound, id: NodeId, offline: OfflineReason): NodeFacts {
  const outbox = read.nodes.outbox(id).find((entry) => entry.inbound === inbound.id);
  return { id, document: read.nodes.get(id), offline: offline(id), outbox };
}

/** As far as events tell. */
function recordedReason(read: ReadModels, node: NodeId): string | null {
  const standing = read.nodes.standing(node);
  return standing && !standing.online ? standing.reason : null;
}
