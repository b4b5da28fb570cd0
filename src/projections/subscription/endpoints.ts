import type { Inbound } from '../../events/inbound/inbound-document.js';
import { hostOf, isPublic, isReachable, isSocketPath, portOf } from './address.js';
import { type Fields, fieldsOf, textOf } from './fields.js';

/** Where clients connect to an inbound. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** `tls` and `none`: what an external proxy makes of the inbound's security. */
  readonly forceTls: 'same' | 'tls' | 'none';
  /** Names an external proxy; empty for the inbound itself. */
  readonly remark: string;
  /** What an external proxy says of its own TLS: `sni`, `alpn`, `fingerprint` … */
  readonly own: Fields;
  readonly external: boolean;
}

/** Of an inbound that no client can reach. */
export const NOWHERE: Endpoint = { host: '', port: 0, forceTls: 'same', remark: '', own: {}, external: false };

/**
 * The external proxies of an inbound, or, when it has none, the inbound itself. `serverHost` is the name of the server
 * that it runs on, empty for none: of a node, or of this one.
 */
export function endpointsOf({ listen, port, node, config }: Inbound, serverHost: string): readonly Endpoint[] {
  const proxies = config.stream?.['externalProxy'];
  if (Array.isArray(proxies) && proxies.length > 0) return proxies.flatMap(externalEndpoint);
  if (portOf(port) === 0 || isSocketPath(listen)) return [];
  const own = hostOf(listen);
  // A node was given its name by the admin; of this server nobody knows more than how it was just asked.
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
