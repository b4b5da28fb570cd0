import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { WebError } from '../../commands/ports/web.js';
import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
import { isPublic } from './address.js';

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Names that refer to this machine or its network on every machine. */
const LOCAL = /(^|\.)(localhost6?|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/** A URL to request, and the addresses to connect to. */
export interface Target {
  readonly url: URL;
  /** Checked addresses. Connections are made to these only. */
  readonly addresses: readonly string[];
}

/** The same text for every failure without an answer, so that the panel cannot be used to scan private networks. */
export function unreached(kind: 'refused' | 'unreachable' | 'timeout', host: string, cause: unknown): WebError {
  return new WebError(kind, message('network.unreachable', { host }), { cause });
}

/** For an answer that was interrupted: the host is known to exist, so that needs no hiding. */
export function interrupted(host: string, cause: unknown): WebError {
  return new WebError('unreachable', message('network.connectionLost', { host }), { cause });
}

/** Throws `WebError` 'refused' for anything that is not an http or https URL. The URL parser has normalized the host. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new WebError('refused', message('network.urlInvalid'));
  if (url.username !== '' || url.password !== '') throw new WebError('refused', message('network.urlWithCredentials'));
  return url;
}

/** The host without IPv6 brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Why a host is rejected by its name alone; null for a literal address, which is checked as such. */
function nameProblem(host: string): Text | null {
  if (isIP(host) !== 0) return null;
  const self = hostname().toLowerCase();
  // The resolver completes a single label with the search domain of this network.
  const local = host.endsWith('.') || !host.includes('.') || LOCAL.test(host) || host === self;
  return local ? privateProblem(host) : null;
}

const privateProblem = (host: string): Text => message('network.addressNotPublic', { host });

/**
 * Resolves the host once and checks every resulting address. Rejects with `WebError` 'refused' or 'unreachable', both with
 * the same text; the cause in the log has the details.
 */
export async function check(url: URL, resolve: Resolve, allowPrivate: boolean): Promise<Target> {
  const host = hostOf(url);
  const problem = allowPrivate ? null : nameProblem(host);
  if (problem !== null) throw unreached('refused', host, new MessageError(problem));
  const addresses = isIP(host) === 0 ? await resolved(host, resolve) : [host];
  if (!allowPrivate && !addresses.every((address) => isPublic(address)))
    throw unreached('refused', host, new MessageError(privateProblem(host)));
  return { url, addresses };
}

/** The same for a host that another program resolves. Throws `WebError` 'refused'. */
export function checkName(url: URL, allowPrivate: boolean): void {
  const host = hostOf(url);
  const isPrivate = isIP(host) === 0 ? nameProblem(host) !== null : !isPublic(host);
  if (isPrivate && !allowPrivate) throw unreached('refused', host, new MessageError(privateProblem(host)));
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const found = await resolve(host).catch((error: unknown) => {
    throw unreached('unreachable', host, error);
  });
  if (found.length === 0) throw unreached('unreachable', host, new Error('the name has no address'));
  return found.map(({ address }) => address);
}
