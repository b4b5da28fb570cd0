import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Target } from './target.js';
import { type TlsSessions, usualContext } from './tls-sessions.js';
import { undici } from './undici.js';

/** Timeout for one of several addresses, in ms. */
const CONNECT_MS = 5_000;

/**
 * Connects to the checked addresses in order, until one accepts. The name is not resolved again; it is only used to verify
 * the certificate.
 */
export function dial({ url, addresses }: Target, sessions: TlsSessions): buildConnector.connector {
  const isSecure = url.protocol === 'https:';
  return (options, callback) => {
    const attempt = (index: number): void => {
      const address = addresses[index] ?? '';
      const place = `${url.host} ${address}`;
      const session = isSecure ? sessions.of(place) : undefined;
      const connect = undici().buildConnector({
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
        // Some servers close the connection when they no longer know the session. No part of the request was sent yet.
        if (session) return attempt(index);
        if (index + 1 < addresses.length) attempt(index + 1);
        else callback(error, null);
      });
    };
    attempt(0);
  };
}
