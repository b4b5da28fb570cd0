import type { Providers } from '../../commands/ports/providers.js';
import type { Web } from '../../commands/ports/web.js';
import { tunnelProvider } from './tunnel.js';
import { vpnProvider } from './vpn.js';

interface ProviderUrls {
  /** `PORTOLAN_WGPROV_URL`, without a slash at its end. */
  readonly tunnel: string;
  /** `PORTOLAN_VPNPROV_URL`. */
  readonly vpn: string;
}

/** The `Providers` port. */
export function createProviders(web: Web, urls: ProviderUrls, now: () => number): Providers {
  return { tunnel: tunnelProvider(web, urls.tunnel, now), vpn: vpnProvider(web, urls.vpn) };
}
