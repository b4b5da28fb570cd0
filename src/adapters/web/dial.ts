import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Target } from './target.js';

/** For one address of several, in ms. */
const CONNECT_MS = 5_000;

/**
 * Connects to the checked addresses in their order, until one takes it. The name is not looked up again: it is only
 * what the certificate must be for. No TLS session is kept.
 */
export function dial({ addresses }: Target): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_MS, maxCachedSessions: 0 });
  return (options, callback) => {
    const attempt = (index: number): void => {
      connect({ ...options, hostname: addresses[index] ?? '' }, (...[error, socket]) => {
        if (error === null) callback(null, socket as Socket);
        else if (index + 1 < addresses.length) attempt(index + 1);
        else callback(error, null);
      });
    };
    attempt(0);
  };
}
