import type { Json, JsonObject } from '../../../model/json';
import { objectsAt, parse, textAt } from '../template';

/** The tags under which the outbounds of the two providers are added. */
export const TUNNEL_TAG = 'warp';
export const VPN_TAG = 'nordvpn';

/** The stored registration with the WireGuard provider. */
export interface Registration {
  readonly deviceId: string;
  readonly license: string;
  readonly privateKey: string;
  readonly clientId: string;
}

/** Null when the panel is not registered. */
export function registrationOf(stored: string): Registration | null {
  const data = parse(stored);
  if (data === null) return null;
  const { device_id: deviceId, license_key: license, private_key: privateKey, client_id: clientId } = data;
  return {
    ...{ deviceId: String(deviceId ?? ''), license: String(license ?? '') },
    ...{ privateKey: String(privateKey ?? ''), clientId: String(clientId ?? '') },
  };
}

/** The outbound of a registration; null when the answer of the provider lacks something. */
export function tunnelOutbound({ privateKey, clientId }: Registration, account: JsonObject): JsonObject | null {
  const [peer] = objectsAt(account, 'config.peers');
  const publicKey = peer ? textAt(peer, 'public_key') : '';
  const endpoint = peer ? textAt(peer, 'endpoint.host') : '';
  const v4 = textAt(account, 'config.interface.addresses.v4');
  const v6 = textAt(account, 'config.interface.addresses.v6');
  if (publicKey === '' || endpoint === '' || v4 === '') return null;
  return {
    tag: TUNNEL_TAG,
    protocol: 'wireguard',
    settings: {
      mtu: 1420,
      secretKey: privateKey,
      address: [`${v4}/32`, ...(v6 === '' ? [] : [`${v6}/128`])],
      reserved: bytesOf(clientId),
      domainStrategy: 'ForceIP',
      peers: [{ publicKey, endpoint }],
      noKernelTun: true,
    },
  };
}

const bytesOf = (base64: string): readonly number[] => Array.from(atob(base64), (character) => character.charCodeAt(0));

/** base64url, as REALITY writes keys, in the base64 of WireGuard. */
export const wireguardKey = (key: string): string =>
  `${key.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '')}=`;

export interface Country {
  readonly id: number;
  readonly name: string;
  readonly code: string;
}

/** A server of the VPN provider. `load` in percent. */
export interface VpnServer {
  readonly name: string;
  readonly hostname: string;
  readonly station: string;
  readonly load: number;
  readonly publicKey: string;
}

/** A JSON list; empty for any other text. */
function listOf(text: string): readonly JsonObject[] {
  const wrapped = parse(`{"list":${text === '' ? '[]' : text}}`);
  return wrapped ? objectsAt(wrapped, 'list') : [];
}

export const countriesOf = (answer: string): readonly Country[] =>
  listOf(answer)
    .map((one) => ({ id: Number(one['id']), name: textAt(one, 'name'), code: textAt(one, 'code') }))
    .toSorted((one, other) => one.name.localeCompare(other.name));

/** Servers with WireGuard, in the order of the panel: the least busy first. */
export function vpnServersOf(answer: string): readonly VpnServer[] {
  const parsed = parse(answer);
  if (!parsed) return [];
  return objectsAt(parsed, 'servers').flatMap((one) => {
    const keys = objectsAt(one, 'technologies').flatMap((technology) => objectsAt(technology, 'metadata'));
    const publicKey = keys.find((member) => member['name'] === 'public_key')?.['value'];
    if (typeof publicKey !== 'string') return [];
    const [name, hostname, station] = [textAt(one, 'name'), textAt(one, 'hostname'), textAt(one, 'station')];
    return { name, hostname, station, load: Number(one['load'] ?? 0), publicKey };
  });
}

/** The private key of the account with the VPN provider; empty without an account. */
export const vpnKeyOf = (stored: string): string => {
  const data = parse(stored);
  return data ? textAt(data, 'private_key') : '';
};

export const vpnOutbound = (secretKey: string, { station, publicKey }: VpnServer): JsonObject => ({
  tag: VPN_TAG,
  protocol: 'wireguard',
  settings: {
    secretKey,
    address: ['10.5.0.2/32'],
    domainStrategy: 'ForceIP',
    peers: [{ publicKey, endpoint: `${station}:51820` }],
    noKernelTun: true,
  },
});

/** The outbounds with one more, or with the one of the same tag replaced. */
export function withOutbound(outbounds: readonly JsonObject[], added: JsonObject): readonly Json[] {
  const index = outbounds.findIndex((one) => one['tag'] === added['tag']);
  return index < 0 ? [...outbounds, added] : outbounds.with(index, added);
}
