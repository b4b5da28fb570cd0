/** Names in the core's configuration that are reserved for the panel. */
export const apiTag = 'api';
export const metricsTag = 'metrics_out';
/** A blackhole for requests of removed accounts whose connection cannot be closed. */
export const blockOutbound = 'portolan-cut';
/** Keeps a Shadowsocks 2022 inbound without clients from accepting a client that has only the server key. */
export const placeholderUser = 'portolan-placeholder';

/** Outbounds that only the panel may send traffic to. */
export const ownOutbounds: ReadonlySet<string> = new Set([metricsTag, blockOutbound]);

export const reserved: ReadonlySet<string> = new Set([apiTag, metricsTag, blockOutbound]);

/** Member names as the core compares them: Go's JSON ignores case, including the two non-ASCII letters that fold to ASCII. */
export function fold(key: string): string {
  return key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
}

/** The core's spelling of members with capitals that the panel writes. */
const spellings: ReadonlyMap<string, string> = new Map(
  [
    ...['domainStrategy', 'domainMatcher', 'inboundTag', 'outboundTag', 'balancerTag', 'ruleTag', 'fallbackTag'],
    ...['sourceIP', 'sourcePort', 'localIP', 'localPort', 'vlessRoute', 'connIdle', 'uplinkOnly', 'downlinkOnly'],
    ...['bufferSize', 'statsUserUplink', 'statsUserDownlink', 'statsUserOnline'],
  ].map((name) => [fold(name), name]),
);

/** The usual spelling of a folded name. */
export function spelled(name: string): string {
  return spellings.get(name) ?? name;
}
