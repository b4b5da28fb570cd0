import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { NodeId } from '../../events/ids.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import { zoneNamed } from '../../lib/time/calendar.js';
import { atOnce, type Steps } from '../../lib/time/slices.js';
import type { Text } from '../../messages/message.js';
import type { ReadModels } from '../read-models.js';
import { eventsOfClients, type HistoryEntry, type HistoryLog, historySteps } from './history.js';
import { type Why, whyOf } from './why.js';
import type { NodeFacts } from './why-facts.js';

/** Why a client of an inbound may or may not connect. */
interface Explained extends Why {
  readonly client: Client;
  readonly inbound: Inbound;
  /** Its events, oldest first. */
  readonly history: readonly RecordedEvent[];
}

/** Why a client of an inbound may or may not connect, and its history. */
export interface Explanation extends Omit<Explained, 'history'> {
  /** Oldest first. */
  readonly story: readonly HistoryEntry[];
}

/** Why a node is unreachable; null while it answers or its state is unknown. */
type OfflineReason = (node: NodeId) => Text | null;

/** Explains every client of an email, one for each inbound, as of `now` (ms); empty when there is none. */
export function explain(read: ReadModels, log: HistoryLog, email: string, now: number): readonly Explanation[] {
  const steps = explainSteps(read, log, { email, now: () => now, offline: (node) => recordedReason(read, node) });
  return atOnce(steps).map(({ history, ...explained }) => ({
    ...explained,
    story: atOnce(historySteps(log, history)),
  }));
}

interface Question {
  readonly email: string;
  /** ms since 1970 */
  readonly now: () => number;
  readonly offline: OfflineReason;
}

/** `explain` without the histories, in steps. The last one explains, so that all answers are about one moment. */
export function* explainSteps(
  read: ReadModels,
  log: HistoryLog,
  { email, now, offline }: Question,
): Steps<readonly Explained[]> {
  const numbers = read.clients.byEmail(email).map(({ number }) => number);
  const histories = yield* eventsOfClients(log, numbers);
  return read.clients.byEmail(email).flatMap((client) => {
    const inbound = read.inbounds.get(client.inbound);
    if (!inbound) return [];
    const siblings = read.clients.siblings(client).flatMap((sibling) => {
      const other = read.inbounds.get(sibling.inbound);
      return other ? [{ inbound: other, own: read.usage.clientAlone(sibling) }] : [];
    });
    const node = inbound.node === null ? null : nodeFacts(read, inbound, inbound.node, offline);
    const facts = {
      client,
      inbound,
      used: read.usage.client(client),
      inboundUsed: read.usage.inbound(inbound),
      siblings,
      core: read.records.coreOf(inbound),
      node,
      history: histories.get(client.number) ?? [],
      log,
      now: now(),
      zone: zoneNamed(read.settings.current().timeLocation),
    };
    return [{ client, inbound, ...whyOf(facts), history: facts.history }];
  });
}

function nodeFacts(read: ReadModels, inbound: Inbound, id: NodeId, offline: OfflineReason): NodeFacts {
  const outbox = read.nodes.outbox(id).find((entry) => entry.inbound === inbound.id);
  return { id, document: read.nodes.get(id), offline: offline(id), outbox };
}

/** The reason that the log records: for callers that do not run the health checks. */
function recordedReason(read: ReadModels, node: NodeId): Text | null {
  return read.nodes.connectivity(node)?.reason ?? null;
}
