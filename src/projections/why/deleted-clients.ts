import { atOnce, type Steps } from '../../lib/time/slices.js';
import { message, type Text } from '../../messages/message.js';
import type { ReadModels } from '../read-models.js';
import { actorText, eventsOfClients, type HistoryEntry, type HistoryLog, historySteps } from './history.js';
import type { Moment } from './why-facts.js';

/** A client that was deleted. */
export interface DeletedClient {
  readonly client: number;
  readonly status: 'deleted';
  /** Its deletion. */
  readonly since: Moment;
  /** Oldest first. */
  readonly story: readonly HistoryEntry[];
}

/** A deleted client by its number; null when there was none, or it is not deleted. */
export const deletedClient = (log: HistoryLog, client: number): DeletedClient | null =>
  atOnce(deletedClientSteps(log, client));

/** The same in steps, with at most the newest `most` entries of its history. */
export function* deletedClientSteps(log: HistoryLog, client: number, most?: number): Steps<DeletedClient | null> {
  const own = (yield* eventsOfClients(log, [client])).get(client) ?? [];
  const end = own.findLast(({ type }) => type === 'ClientDeleted');
  if (!end) return null;
  const since = { at: end.meta.at, position: end.position, by: actorText(end.meta) };
  return { client, status: 'deleted', since, story: yield* historySteps(log, own, most) };
}

/** All clients that were deleted with this email, the latest deletion first, without their histories. */
export function deletedWithEmail(
  read: Pick<ReadModels, 'clients'>,
  log: Pick<HistoryLog, 'lastOf'>,
  email: string,
): readonly Omit<DeletedClient, 'story'>[] {
  const deleted = read.clients.deleted(email).flatMap(({ number: client }) => {
    const end = log.lastOf(`client-${client}`, ['ClientDeleted']);
    const since = end && { at: end.meta.at, position: end.position, by: actorText(end.meta) };
    return since ? [{ client, status: 'deleted' as const, since }] : [];
  });
  return deleted.sort((a, b) => b.since.position - a.since.position);
}

/** The texts for a deleted client: the rule, and how to fix it. */
export function explainDeleted(): { readonly rule: Text; readonly remedies: readonly Text[] } {
  return { rule: message('why.clientDeleted'), remedies: [message('why.addAgain')] };
}

/** The owner of a statement. */
interface StatementOwner {
  readonly email: string;
  /** Null: all clients that have the email now. */
  readonly client: number | null;
}

/**
 * The owner of the statement for an email: the clients that have it now, or else the last one that was deleted with it.
 * `number` selects one client among all that have or had the email; 0 selects none. Null when there is no such client.
 */
export function statementOwner(
  read: Pick<ReadModels, 'clients'>,
  log: Pick<HistoryLog, 'lastOf'>,
  email: string,
  number: number,
): StatementOwner | null {
  const current = read.clients.byEmail(email);
  const deletedClients = read.clients.deleted(email);
  const [first] = current;
  if (number === 0 && first) return { email: first.identity.email, client: null };
  const client = number || deletedWithEmail(read, log, email)[0]?.client;
  const selected =
    current.find((one) => one.number === client)?.identity ?? deletedClients.find((one) => one.number === client);
  return selected && client !== undefined ? { email: selected.email, client } : null;
}
