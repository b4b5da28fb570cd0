import { valueAt } from '../../../model/json';
import type { Draft } from '../editor/draft';

export type Condition = (draft: Draft) => boolean;

export const all =
  (...conditions: readonly Condition[]): Condition =>
  (draft) =>
    conditions.every((condition) => condition(draft));

const WITH_STREAM = new Set(['vless', 'vmess', 'trojan', 'shadowsocks']);
/** Names by which the core knows the same protocol or transport. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ socks: 'mixed', dokodemo: 'tunnel', 'dokodemo-door': 'tunnel', hysteria: 'hysteria2' },
  ...{ raw: 'tcp', websocket: 'ws', mkcp: 'kcp', splithttp: 'xhttp' },
};
const usual = (name: string): string => ALIASES[name] ?? name;

export const protocol =
  (...names: readonly string[]): Condition =>
  (draft) =>
    names.includes(usual(draft.protocol));
export const hasStream: Condition = ({ protocol: name }) => WITH_STREAM.has(name);
export const networkOf = (draft: Draft): string => usual(String(valueAt(draft, 'streamSettings.network') ?? 'tcp'));
export const network =
  (...names: readonly string[]): Condition =>
  (draft) =>
    hasStream(draft) && names.includes(networkOf(draft));
export const security =
  (name: string): Condition =>
  (draft) =>
    valueAt(draft, 'streamSettings.security') === name;
export const has =
  (path: string, ...values: readonly unknown[]): Condition =>
  (draft) =>
    values.includes(valueAt(draft, path));

/** Names of the settings of a transport; where an inbound has several, the core takes the first. */
export const CARRIERS: Readonly<Record<string, readonly string[]>> = {
  tcp: ['rawSettings', 'tcpSettings'],
  xhttp: ['xhttpSettings', 'splithttpSettings'],
};
/** The path of the settings of a draft's transport. */
export function carrierOf(draft: Draft): string {
  const name = networkOf(draft);
  const names = CARRIERS[name] ?? [`${name}Settings`];
  const found = names.find((one) => valueAt(draft, `streamSettings.${one}`) !== undefined);
  return `streamSettings.${found ?? (name === 'tcp' ? 'tcpSettings' : names[0])}`;
}

/** REALITY hides the inbound behind another server's TLS; that needs a transport that looks like it. */
const WITH_REALITY = new Set(['tcp', 'grpc', 'xhttp']);

/** The securities that the transport of this draft may have. */
export function securitiesOf(draft: Draft): readonly string[] {
  if (usual(draft.protocol) === 'hysteria2') return ['tls'];
  return WITH_REALITY.has(networkOf(draft)) ? ['none', 'tls', 'reality'] : ['none', 'tls'];
}
