/** Names in the core's configuration that are ours; a template or an inbound may not use them. */
export const apiTag = 'api';
/** A blackhole for what the removed accounts of a connection that cannot be closed still ask for. */
export const cutOutbound = 'portolan-cut';
/** Keeps a shadowsocks-2022 inbound without clients from opening to whoever knows the server key. */
export const nobody = 'portolan-nobody';

export const reserved: ReadonlySet<string> = new Set([apiTag, cutOutbound]);

/** Names of members as the core compares them: Go's JSON ignores case, also of the two letters that fold to ASCII. */
export function fold(key: string): string {
  return key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
}
