import { base } from '../../api/client';
import type { PanelAddress, SettingSources } from '../../api/contract.generated';

const defaultPort = (protocol: string): number => (protocol === 'https:' ? 443 : 80);

/**
 * Where this browser reaches the panel after a restart. Behind a reverse proxy the port and the certificate are those of the
 * proxy, so only the path changes.
 */
export function nextAddress({ current, next }: Pick<SettingSources, 'current' | 'next'>, now: URL = base): URL {
  const port = Number(now.port || defaultPort(now.protocol));
  const address = new URL(now);
  if (now.pathname.endsWith(current.basePath))
    address.pathname = now.pathname.slice(0, now.pathname.length - current.basePath.length) + next.basePath;
  if (port !== current.port) return address;
  address.protocol = next.tls ? 'https:' : 'http:';
  address.port = String(next.port);
  if (next.domain !== '') address.hostname = bare(next);
  return address;
}

const bare = ({ domain }: PanelAddress): string => domain.replace(/:\d+$/, '');
