import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RelayedCaller } from '../../../commands/ports/cluster.js';
import type { HeadersFor } from '../../server/headers.js';
import { hardenedServer } from '../../server/listening/listen.js';

const callers = new WeakMap<object, RelayedCaller>();

/**
 * Makes the end of a connection between members look like the socket of the caller. A caller of this panel has no way to
 * get in here: only the connections that the leader takes over NATS do.
 */
function asSocketOf(caller: RelayedCaller, tunnel: Duplex): Socket {
  callers.set(tunnel, caller);
  const { remoteAddress, isEncrypted } = caller;
  return Object.assign(tunnel as Socket, { remoteAddress, ...(isEncrypted ? { encrypted: true } : {}) });
}

/** The caller of a request that another member has passed on; undefined for one that arrived here. */
export const relayedCaller = ({ socket }: IncomingMessage): RelayedCaller | undefined => callers.get(socket);

/** Answers the requests on connections of other members. It listens nowhere. */
export function relayServer(
  listener: RequestListener | null,
  headers: HeadersFor,
): (tunnel: Duplex, caller: RelayedCaller) => void {
  if (listener === null) return (tunnel) => void tunnel.destroy();
  const server = hardenedServer(listener, { headers });
  return (tunnel, caller) => void server.emit('connection', asSocketOf(caller, tunnel));
}
