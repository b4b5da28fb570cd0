import type { Inbound } from '../../events/inbound-document.js';
import { hostOf, isReachable, isSocketPath, portOf } from './address.js';
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

/** The external proxies of an inbound, or, when it has none, the inbound itself. `serverHost` is the name of this server. */
export function endpointsOf({ listen, port, config }: Inbound, serverHost: string): readonly Endpoint[] {
  const proxies = config.stream?.['externalProxy'];
  if (Array.isArray(proxies) && proxies.length > 0) return proxies.flatMap(externalEndpoint);
  const host = isReachable(listen) ? hostOf(listen) : serverHost;
  if (host === '' || portOf(port) === 0 || isSocketPath(listen)) return [];
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
