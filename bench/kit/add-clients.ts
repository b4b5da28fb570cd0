import { emailOf, idOf, subIdOf } from './fleet.js';
import type { LivePanel } from './live.js';
import { request } from './load.js';

export const CLIENT_API = '/panel/api/inbounds';

/** A client as callers of the panel API send it. */
export function clientBody(n: number, over: object = {}): object {
  const client = { id: idOf(n), email: emailOf(n), subId: subIdOf(n), enable: true, flow: '', limitIp: 0, ...over };
  return { id: 1, settings: JSON.stringify({ clients: [client] }) };
}

/** Requests that add `count` clients, numbered from `first`. */
export const addRequests = ({ headers }: LivePanel, first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => request('POST', `${CLIENT_API}/addClient`, headers, clientBody(first + i)));
