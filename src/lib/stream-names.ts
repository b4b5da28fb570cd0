import { isObject, type Json, type JsonObject, textOf } from './json.js';

/** Members of XHTTP settings that the core renamed in 2026: the old name and the one that it reads now. */
const XHTTP_RENAMED = [
  ['sessionPlacement', 'sessionIDPlacement'],
  ['sessionKey', 'sessionIDKey'],
] as const;

/** mKCP masks by the names that they had before the core folded them into `mkcp-legacy`. */
const KCP_HEADER = /^header-(dns|dtls|srtp|utp|wechat|wireguard)$/;

/**
 * `streamSettings` in the names of the current core, so that settings stored by an older panel still mean the same.
 * A value under the new name wins. Changes nothing else; returns its argument when there is nothing to rename.
 */
export function currentStream(stream: JsonObject): JsonObject {
  return withMasks(withXhttp(stream, renamed));
}

/**
 * Settings of XHTTP for client apps, which may run an older or a newer core: each renamed member under both names, also
 * in `downloadSettings`.
 */
export function xhttpForClients(settings: JsonObject): JsonObject {
  const current = renamed(settings);
  const copy: Record<string, Json> = { ...current };
  for (const [old, name] of XHTTP_RENAMED) {
    if (isSaid(current[name])) copy[old] = current[name] ?? null;
  }
  const down = copy['downloadSettings'];
  return isObject(down) ? { ...copy, downloadSettings: withXhttp(down as JsonObject, xhttpForClients) } : copy;
}

function withXhttp(stream: JsonObject, change: (settings: JsonObject) => JsonObject): JsonObject {
  let changed = stream;
  for (const name of ['xhttpSettings', 'splithttpSettings']) {
    const settings = stream[name];
    if (isObject(settings)) changed = { ...changed, [name]: change(settings as JsonObject) };
  }
  return changed;
}

function renamed(settings: JsonObject): JsonObject {
  const copy: Record<string, Json> = { ...settings };
  for (const [old, name] of XHTTP_RENAMED) {
    if (isSaid(copy[old]) && !isSaid(copy[name])) copy[name] = copy[old] ?? null;
    delete copy[old];
  }
  const { extra, downloadSettings } = copy;
  if (isObject(extra)) copy['extra'] = renamed(extra as JsonObject);
  if (isObject(downloadSettings)) copy['downloadSettings'] = currentStream(downloadSettings as JsonObject);
  return copy;
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** Masks of mKCP, in the order that keeps their packets as they were: the core writes the last mask outermost. */
function withMasks(stream: JsonObject): JsonObject {
  const finalmask = isObject(stream['finalmask']) ? (stream['finalmask'] as JsonObject) : {};
  const udp = Array.isArray(finalmask['udp']) ? (finalmask['udp'] as readonly Json[]) : [];
  const kcp = isObject(stream['kcpSettings']) ? (stream['kcpSettings'] as JsonObject) : {};
  const { header, seed, ...rest } = kcp;
  const isOld = header !== undefined || seed !== undefined;
  if (!isOld && !udp.some((mask) => legacyMask(mask) !== null)) return stream;
  const masks = udp.length > 0 || !isOld ? udp.map((mask) => legacyMask(mask) ?? mask) : masksOf(header, seed);
  return {
    ...stream,
    ...(isOld ? { kcpSettings: rest } : {}),
    finalmask: { ...finalmask, udp: masks },
  };
}

/** `kcpSettings.header` and `seed`, as the core had them before it had masks. */
function masksOf(header: Json | undefined, seed: Json | undefined): readonly JsonObject[] {
  const { type, domain } = isObject(header) ? header : {};
  const name = textOf(type).replace(/-video$/, '');
  const outer = name === '' || name === 'none' ? [] : [mkcpLegacy(name, textOf(domain))];
  return [mkcpLegacy('', textOf(seed)), ...outer];
}

/** Null for a mask that the current core knows by its own name, or does not know. */
function legacyMask(mask: Json): JsonObject | null {
  const { type, settings } = isObject(mask) ? mask : {};
  const { domain, password } = isObject(settings) ? settings : {};
  const header = KCP_HEADER.exec(textOf(type))?.[1];
  if (header !== undefined) return mkcpLegacy(header, textOf(domain));
  if (type === 'mkcp-original') return mkcpLegacy('', '');
  return type === 'mkcp-aes128gcm' ? mkcpLegacy('', textOf(password)) : null;
}

function mkcpLegacy(header: string, value: string): JsonObject {
  return { type: 'mkcp-legacy', settings: { header, value } };
}
