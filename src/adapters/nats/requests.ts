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
  | 'file'
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

/** Where members tell the leader what they have; lost messages are repeated. */
const COPIES = 'portolan.copies';

/** Tells the leader what this member has. */
export function reportCopy(connection: NatsConnection, copy: unknown): void {
  if (!connection.isClosed()) connection.publish(COPIES, JSON.stringify(copy));
}

/** Takes what other members have until the result is called. */
export function takeCopies(
  connection: NatsConnection,
  take: (copy: unknown) => void,
  failed: (error: unknown) => void,
): () => void {
  const subscription = connection.subscribe(COPIES, {
    callback(error, message) {
      try {
        if (error) throw error;
        take(message.json());
      } catch (cause) {
        failed(cause);
      }
    },
  });
  return () => subscription.unsubscribe();
}

const readingOf = (member: string): string => `portolan.member.${member}.reading`;

/** Answers requests of the leader to record what this machine has counted. */
export function answerReading(
  connection: NatsConnection,
  member: string,
  record: () => Promise<unknown>,
  failed: (error: unknown) => void,
): void {
  const respond = async (message: Msg): Promise<void> => {
    try {
      await record();
      message.respond();
    } catch (cause) {
      failed(cause);
    }
  };
  connection.subscribe(readingOf(member), {
    callback: (error, message) => (error ? failed(error) : void respond(message)),
  });
}

/** Has another member record what its machine has counted. Rejects with `ClusterAway` when it has not within `timeout` ms. */
export async function askReading(connection: NatsConnection, member: string, timeout = REQUEST_MS): Promise<void> {
  await natsRequest(() => connection.request(readingOf(member), '', { timeout }));
}
