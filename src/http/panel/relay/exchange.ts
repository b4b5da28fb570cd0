import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers of one connection, which the next connection has its own of. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer', 'proxy-connection'],
]);
/** The header in which the leader sends a follower the position of a change; the caller does not get it. */
export const HEAD_HEADER = 'X-Portolan-Head';
/** In which a member tells another one that it does not lead any more, and has done nothing. */
export const NOT_LEADER_HEADER = 'X-Portolan-Not-Leader';

/** Headers that are passed on, names and values in turn, without those named in `but`, in lower case. */
export function passedOn(raw: readonly string[], but: readonly string[] = []): string[] {
  const drops = (name = ''): boolean => OF_CONNECTION.has(name.toLowerCase()) || but.includes(name.toLowerCase());
  return raw.filter((_, at) => !drops(raw[at - (at % 2)]));
}

/**
 * Sends a request to the leader as the caller sent it, over a connection that is open and goes to no address, and resolves
 * to the answer when its head has arrived. `body`: null = the caller's own, which is passed on as it arrives. Rejects when
 * the connection breaks before.
 */
export function exchange(
  tunnel: Duplex,
  req: IncomingMessage,
  url: string,
  body: Buffer | null,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', rawHeaders } = req;
    const headers = passedOn(rawHeaders, body === null ? [] : ['content-length']);
    if (body !== null && method === 'POST') headers.push('Content-Length', String(body.length));
    const outgoing = request({ createConnection: () => tunnel, method, path: url, headers });
    outgoing.once('response', resolve).on('error', reject);
    if (body !== null) outgoing.end(body);
    else req.pipe(outgoing);
  });
}
