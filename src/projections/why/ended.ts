import type { ReadModels } from '../read-models.js';
import { actorText, type Chapter, type StoryLog, storyOf } from '../story.js';
import type { Moment } from './why-facts.js';

/** A client that is no more. */
export interface Ended {
  readonly client: number;
  readonly standing: 'deleted';
  /** When it was deleted, and by whom. */
  readonly since: Moment;
  /** The newest last. */
  readonly story: readonly Chapter[];
}

/** How a client came to its end, or null where it did not. */
export function endOf(log: StoryLog, client: number): Ended | null {
  const story = storyOf(log, client);
  const end = story.findLast(({ type }) => type === 'ClientDeleted');
  if (!end) return null;
  const { at, position, by } = end;
  return { client, standing: 'deleted', since: { at, position, by }, story };
}

/** Everyone who was deleted with this email, the last of them first, without their stories. */
export function endsUnder(
  read: Pick<ReadModels, 'clients'>,
  log: Pick<StoryLog, 'lastOf'>,
  email: string,
): readonly Omit<Ended, 'story'>[] {
  const ends = read.clients.former(email).flatMap(({ number: client }) => {
    const end = log.lastOf(`client-${client}`, ['ClientDeleted']);
    const since = end && { at: end.meta.at, position: end.position, by: actorText(end.meta) };
    return since ? [{ client, standing: 'deleted' as const, since }] : [];
  });
  return ends.sort((a, b) => b.since.position - a.since.position);
}

/** Whose account an email stands for. */
export interface AccountHolder {
  readonly email: string;
  /** Null = of everyone who has the email now. */
  readonly client: number | null;
}

/**
 * Whose account is asked for by an email: of those who have it, else of who was deleted with it last; or of the one with this
 * number (0 = none is named) among them. Null where there is nobody.
 */
export function accountHolder(
  read: Pick<ReadModels, 'clients'>,
  log: Pick<StoryLog, 'lastOf'>,
  email: string,
  number: number,
): AccountHolder | null {
  const living = read.clients.byEmail(email);
  const former = read.clients.former(email);
  const [first] = living;
  if (number === 0 && first) return { email: first.identity.email, client: null };
  const client = number || endsUnder(read, log, email)[0]?.client;
  const named = living.find((one) => one.number === client)?.identity ?? former.find((one) => one.number === client);
  return named && client !== undefined ? { email: named.email, client } : null;
}
