import type { Node } from '../../api/contract.generated';
import type { Tone } from '../../ui/display/Status';

export type NodeState = 'paused' | 'connecting' | 'offline' | 'failing' | 'refused' | 'behind' | 'synced';

export const TONES: Readonly<Record<NodeState, Tone>> = {
  paused: 'quiet',
  connecting: 'quiet',
  offline: 'bad',
  failing: 'bad',
  refused: 'warn',
  behind: 'warn',
  synced: 'good',
};

/** The one word on a node: whether it answers comes before whether it is up to date. */
export function stateOf({ enable, status, syncState }: Node): NodeState {
  if (!enable) return 'paused';
  if (status === 'offline') return 'offline';
  if (syncState === 'failing' || syncState === 'refused' || syncState === 'behind') return syncState;
  return status === 'online' && syncState === 'synced' ? 'synced' : 'connecting';
}

/** The URL of a node's panel, as the browser shows it. */
export const urlOf = ({ scheme, host, port, basePath }: Pick<Node, 'scheme' | 'host' | 'port' | 'basePath'>): string =>
  `${scheme}://${host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host}:${port}${basePath}`;

export interface Place {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
}

/** The parts of a URL that was pasted; null when it is none. A fragment, as screens of a panel have, is dropped. */
export function placeOf(text: string): Place | null {
  const trimmed = text.trim();
  // Some browsers take a space in a host for part of its name.
  if (/\s/.test(trimmed)) return null;
  const url = /^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  const scheme = parsed.protocol === 'http:' ? 'http' : 'https';
  return {
    scheme,
    host: parsed.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(parsed.port || (scheme === 'http' ? 80 : 443)),
    basePath: parsed.pathname.endsWith('/') ? parsed.pathname : `${parsed.pathname}/`,
  };
}
