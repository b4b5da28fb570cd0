import type { NatsConnection } from '@nats-io/nats-core';
import { REQUEST_MS } from './connection.js';
import { natsRequest } from './errors.js';

/** The subject on which the leader answers the other members. */
const LEADER = 'portolan.leader';

/** Answers the requests of other members until the result is called. A request whose answer throws gets none. */
export function answerMembers(
  connection: NatsConnection,
  answer: (request: unknown) => unknown,
  failed: (error: unknown) => void,
): () => void {
  const subscription = connection.subscribe(LEADER, {
    callback: (error, message) => {
      if (error) return failed(error);
      try {
        message.respond(JSON.stringify(answer(message.json()) ?? null));
      } catch (cause) {
        failed(cause);
      }
    },
  });
  return () => subscription.unsubscribe();
}

/** Sends a request to the leader. Rejects with `ClusterAway` when none answers. */
export async function askLeader(connection: NatsConnection, request: unknown): Promise<unknown> {
  const answer = await natsRequest(() => connection.request(LEADER, JSON.stringify(request), { timeout: REQUEST_MS }));
  return answer.json();
}
