/** Names in the core's configuration that are ours; a template or an inbound may not use them. */
export const apiTag = 'api';
export const metricsTag = 'metrics_out';
/** A blackhole for what the removed accounts of a connection that cannot be closed still ask for. */
export const blockOutbound = 'portolan-cut';
/** Keeps a Shadowsocks 2022 inbound without clients from accepting anyone who has the server key. */
export const placeholderUser = 'portolan-nobody';

/** Outbounds that only the panel may send traffic to. */
export const ownOutbounds: ReadonlySet<string> = new Set([metricsTag, blockOutbound]);

export const reserved: ReadonlySet<string> = new Set([apiTag, metricsTag, blockOutbound]);

/** Names of members as the core compares them: Go's JSON ignores case, also of the two letters that fold to ASCII. */
export function fold(key: string): string {
  return key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
}

/** The core's own spelling of members that have capitals, as far as the panel writes them. */
const spellings: ReadonlyMap<string, string> = new Map(
  [
    ...['domainStrategy', 'domainMatcher', 'inboundTag', 'outboundTag', 'balancerTag', 'ruleTag', 'fallbackTag'],
    ...['sourceIP', 'sourcePort', 'localIP', 'localPort', 'vlessRoute', 'connIdle', 'uplinkOnly', 'downlinkOnly'],
    ...['bufferSize', 'statsUserUplink', 'statsUserDownlink', 'statsUserOnline'],
  ].map((name) => [fold(name), name]),
);

/** A folded name as people and other programs know it. */
export function spelled(name: string): string {
  return spellings.get(name) ?? name;
}
