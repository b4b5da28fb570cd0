import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { Target } from './target.js';
import { type TlsSessions, usualContext } from './tls-sessions.js';

/** For one address of several, in ms. */
const CONNECT_MS = 5_000;

/**
 * Connects to the checked addresses in their order, until one takes it. The name is not looked up again: it is only
 * what the certificate must be for.
 */
export function dial({ url, addresses }: Target, sessions: TlsSessions): buildConnector.connector {
  const isSecure = url.protocol === 'https:';
  return (options, callback) => {
    const attempt = (index: number): void => {
      const address = addresses[index] ?? '';
      const place = `${url.host} ${address}`;
      const session = isSecure ? sessions.of(place) : undefined;
      const connect = buildConnector({
        ...{ timeout: CONNECT_MS, maxCachedSessions: 0 },
        ...(isSecure && { secureContext: usualContext() }),
        ...(session && { session }),
      });
      connect({ ...options, hostname: address }, (...[error, socket]) => {
        if (error === null) {
          if (socket instanceof TLSSocket) sessions.follow(place, socket);
          return callback(null, socket as Socket);
        }
        sessions.forget(place);
        // Some servers hang up on a session that they do not know any more; nothing of the request was sent yet.
        if (session) return attempt(index);
        if (index + 1 < addresses.length) attempt(index + 1);
        else callback(error, null);
      });
    };
    attempt(0);
  };
}
