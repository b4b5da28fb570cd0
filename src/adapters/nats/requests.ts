import type { Msg, NatsConnection } from '@nats-io/nats-core';
import { REQUEST_MS } from './connection.js';
import { natsRequest } from './errors.js';

/** What a member may ask the leader for; each kind has its own subject. */
export type LeaderRequest =
  | 'set-aside'
  | 'record'
  | 'counters'
  | 'step-down'
  | 'remove'
  | 'join'
  | 'snapshot'
  | 'mirror-keys';

const subjectOf = (kind: LeaderRequest): string => `portolan.leader.${kind}`;

/**
 * Answers one kind of request of the other members until the result is called. A request whose answer throws or rejects
 * gets none: the member sees a leader that does not answer, and asks again.
 */
export function answerMembers(
  connection: NatsConnection,
  kind: LeaderRequest,
  answer: (request: unknown) => unknown,
  failed: (error: unknown) => void,
): () => void {
  const respond = async (message: Msg): Promise<void> => {
    try {
      message.respond(JSON.stringify((await answer(message.json())) ?? null));
    } catch (cause) {
      failed(cause);
    }
  };
  const subscription = connection.subscribe(subjectOf(kind), {
    callback: (error, message) => (error ? failed(error) : void respond(message)),
  });
  return () => subscription.unsubscribe();
}

/** Sends a request to the leader. Rejects with `ClusterAway` when none answers within `timeout` ms. */
export async function askLeader(
  connection: NatsConnection,
  kind: LeaderRequest,
  request: unknown,
  timeout = REQUEST_MS,
): Promise<unknown> {
  const ask = () => connection.request(subjectOf(kind), JSON.stringify(request), { timeout });
  return (await natsRequest(ask)).json();
}
