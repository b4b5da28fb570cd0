/** As in the contract. `basePath` begins and ends with a slash; `domain` may be empty. */
interface PanelAddress {
  readonly port: number;
  readonly tls: boolean;
  readonly basePath: string;
  readonly domain: string;
}

interface Move {
  readonly current: PanelAddress;
  readonly next: PanelAddress;
}

const defaultPort = (protocol: string): number => (protocol === 'https:' ? 443 : 80);

/**
 * Where a browser that is at `now` reaches the panel after a restart. Behind a reverse proxy the port and the certificate
 * are those of the proxy, so only the path changes.
 */
export function nextAddress({ current, next }: Move, now: URL): URL {
  const port = Number(now.port || defaultPort(now.protocol));
  const address = new URL(now);
  if (now.pathname.endsWith(current.basePath))
    address.pathname = now.pathname.slice(0, now.pathname.length - current.basePath.length) + next.basePath;
  if (port !== current.port) return address;
  address.protocol = next.tls ? 'https:' : 'http:';
  address.port = String(next.port);
  if (next.domain !== '') address.hostname = next.domain;
  return address;
}

/** Whether a certificate with these names is valid for a host. A wildcard stands for one label. */
export function covers(names: readonly string[], host: string): boolean {
  const wanted = host.toLowerCase();
  return names.some((name) => {
    const own = name.toLowerCase();
    return own === wanted || (own.startsWith('*.') && wanted.split('.').slice(1).join('.') === own.slice(2));
  });
}
