import type { Duplex } from 'node:stream';
import { type Msg, type NatsConnection, nuid } from '@nats-io/nats-core';
import { z } from 'zod';
import type { RelayedCaller } from '../../commands/ports/cluster.js';
import { REQUEST_MS } from './connection.js';
import { natsRequest } from './errors.js';
import { Tunnel } from './tunnel.js';

/** Where the leader takes connections. Only members may publish there, so their word on the caller is trusted. */
const CALLS = 'portolan.leader.http';
/** Connections that a leader has at one time. */
const MAX_OPEN = 1024;

const Call = z.strictObject({
  subject: z.string().regex(/^portolan\.tunnel\.\w+$/),
  remoteAddress: z.string(),
  isEncrypted: z.boolean(),
  correlationId: z.string(),
  member: z.string(),
});
const Taken = z.strictObject({ subject: z.string() });

const newSubject = (): string => `portolan.tunnel.${nuid.next()}`;

/** Opens a connection to the leader. Rejects with `ClusterAway` when none takes it in time; then nothing was sent. */
export async function callLeader(connection: NatsConnection, caller: RelayedCaller): Promise<Duplex> {
  const own = newSubject();
  const tunnel = new Tunnel({ connection, own, other: null });
  try {
    const call = JSON.stringify({ ...caller, subject: own });
    const answer = await natsRequest(() => connection.request(CALLS, call, { timeout: REQUEST_MS }));
    tunnel.connectTo(Taken.parse(answer.json()).subject);
    // Between two requests, and after the last one, the HTTP client does not listen: the error would end the process.
    tunnel.on('error', () => undefined);
    return tunnel;
  } catch (error) {
    tunnel.destroy();
    throw error;
  }
}

/** Takes the connections of other members until the result is called. */
export function takeCalls(
  connection: NatsConnection,
  take: (tunnel: Duplex, caller: RelayedCaller) => void,
  failed: (error: unknown) => void,
): () => void {
  let open = 0;
  const answer = (message: Msg): void => {
    // A caller without an answer asks again.
    if (open >= MAX_OPEN) return;
    const { subject, ...caller } = Call.parse(message.json());
    const own = newSubject();
    const tunnel = new Tunnel({ connection, own, other: subject });
    open += 1;
    tunnel.on('error', () => undefined).once('close', () => (open -= 1));
    message.respond(JSON.stringify({ subject: own }));
    take(tunnel, caller);
  };
  const subscription = connection.subscribe(CALLS, {
    callback(error, message) {
      try {
        if (error) throw error;
        answer(message);
      } catch (cause) {
        failed(cause);
      }
    },
  });
  return () => subscription.unsubscribe();
}
