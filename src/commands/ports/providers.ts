import { MessageError } from '../../messages/error.js';

/** A device at the tunnel provider. All members except the IDs are secrets. */
interface TunnelDevice {
  readonly id: string;
  readonly token: string;
  readonly license: string;
  /** Base64 of the three reserved bytes of its packets; empty when the provider names none. */
  readonly clientId: string;
}

/** WireGuard tunnels of a public provider. Every call rejects with `ProviderError`. */
export interface TunnelProvider {
  /** A new device with this WireGuard key (base64). `answer`: the provider's whole answer, a JSON object. */
  register(publicKey: string): Promise<{ readonly device: TunnelDevice; readonly answer: object }>;
  /** The provider's view of a device: JSON text. */
  config(device: Pick<TunnelDevice, 'id' | 'token'>): Promise<string>;
  /** Sets another license. Resolves to the one that counts from then on. */
  license(device: Pick<TunnelDevice, 'id' | 'token'>, license: string): Promise<string>;
}

/** WireGuard servers of a public VPN provider. Every call rejects with `ProviderError`. */
export interface VpnProvider {
  /** JSON text: a list. */
  countries(): Promise<string>;
  /** JSON text: an object with `servers`, without those that are hardly in use where others are there. */
  servers(country: number): Promise<string>;
  /** The private key of the account behind an access token. */
  privateKey(token: string): Promise<string>;
}

export interface Providers {
  readonly tunnel: TunnelProvider;
  readonly vpn: VpnProvider;
}

/** Its text contains no token, no key and nothing of an answer except the provider's own error text. */
export class ProviderError extends MessageError {
  override readonly name = 'ProviderError';
}
