import type { Inbound } from '../../events/inbound/inbound-document.js';
import { hostOf, isPublic, isReachable, isSocketPath, portOf } from './address.js';
import { type Fields, fieldsOf, textOf } from './fields.js';

/** Where clients connect to an inbound. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** `tls` and `none`: security of the external proxy instead of that of the inbound. */
  readonly forceTls: 'same' | 'tls' | 'none';
  /** Names an external proxy; empty for the inbound itself. */
  readonly remark: string;
  /** TLS settings of an external proxy: `sni`, `alpn`, `fingerprint` … */
  readonly own: Fields;
  readonly external: boolean;
}

/** For an inbound that clients cannot reach. */
export const UNREACHABLE: Endpoint = { host: '', port: 0, forceTls: 'same', remark: '', own: {}, external: false };

/**
 * The external proxies of an inbound, or the inbound itself if it has none. `serverHost` is the host name of the node or of
 * this server; empty = unknown.
 */
export function endpointsOf({ listen, port, node, config }: Inbound, serverHost: string): readonly Endpoint[] {
  const proxies = config.stream?.['externalProxy'];
  if (Array.isArray(proxies) && proxies.length > 0) return proxies.flatMap(externalEndpoint);
  if (portOf(port) === 0 || isSocketPath(listen)) return [];
  const own = hostOf(listen);
  // The admin entered the host of a node. For this server, the host of the current request is the best guess.
  const hosts = node === null ? [own, serverHost] : [serverHost, own];
  const host = hosts.find(isPublic) ?? hosts.find(isReachable) ?? serverHost;
  if (host === '') return [];
  return [{ host, port, forceTls: 'same', remark: '', own: {}, external: false }];
}

function externalEndpoint(entry: unknown): readonly Endpoint[] {
  const own = fieldsOf(entry);
  const host = hostOf(textOf(own['dest']));
  const port = portOf(own['port']);
  if (host === '' || port === 0) return [];
  const forced = own['forceTls'];
  const forceTls = forced === 'tls' || forced === 'none' ? forced : 'same';
  return [{ host, port, forceTls, remark: textOf(own['remark']), own, external: true }];
}
