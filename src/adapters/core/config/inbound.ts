import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CoreError, type CoreInbound } from '../../../commands/ports/core.js';
import { accountName, accountProblem, type NamedClient } from '../../../lib/account-name.js';
import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { currentStream } from '../../../lib/stream-names.js';
import { message } from '../../../messages/message.js';
import { accountFormatOf, checkAccount, settingsOf } from './account.js';
import { fold, ownOutbounds, placeholderUser, reserved } from './names.js';
import { checkPaths } from './paths.js';

/**
 * The inbound with its accounts, as the core reads it. Throws `CoreError` 'invalid' for an account that the core would
 * misunderstand, and for a path that the core must not use (see `checkPaths`). `taken`: tags of outbounds, which no client
 * may have as its reverse tag, because the core removes that outbound together with the client. `nameOf`: the account
 * names of clients.
 */
export function assembleInbound(
  inbound: CoreInbound,
  dataDir: string,
  taken: ReadonlySet<string> = ownOutbounds,
  nameOf: (user: NamedClient) => string = accountName,
): JsonObject {
  const { tag } = inbound;
  const config = withCurrentStream(inbound.config);
  if (config['tag'] !== tag) throw new CoreError('invalid', message('core.tagMismatch'), { inbound: tag });
  if (reserved.has(tag) || tag === '' || tag.includes('>>>')) {
    throw new CoreError('invalid', message('core.tagReserved', { tag }), { inbound: tag });
  }
  checkPaths(config, { dataDir, inbound: tag });
  checkAccountNames(settingsOf(config), tag);
  const form = accountFormatOf(config);
  if (form === null) return config;
  const clients: Json[] = [...inbound.users.values()].map((user) => {
    checkAccount(inbound, user);
    const { reverse, ...account } = user.account;
    const back = isObject(reverse) && !taken.has(String(reverse['tag'])) ? { reverse } : {};
    return { ...inherited(inbound), ...account, ...back, email: nameOf(user), level: 0 };
  });
  if (isShadowsocks2022(config)) clients.push({ email: placeholderUser, password: randomKey(config), level: 0 });
  // `users` is an alias of `clients`: only one of them may be set.
  const settings = Object.entries(settingsOf(config)).filter(([key]) => !['clients', 'users'].includes(fold(key)));
  const whole = { ...config, settings: { ...Object.fromEntries(settings), clients } };
  return config['protocol'] === 'hysteria' ? withoutSharedPassword(whole) : whole;
}

/** Throws `CoreError` 'invalid' when an account of a SOCKS, HTTP or mixed inbound has the name of a client's account. */
function checkAccountNames(settings: JsonObject, tag: string): void {
  const why = accountProblem(settings);
  if (why !== null) throw new CoreError('invalid', why, { inbound: tag });
}

/** As `assembleInbound`, but with at most one account, after all were checked: enough to test whether the core can listen. */
export function assembleForTrial(inbound: CoreInbound, dataDir: string, taken: ReadonlySet<string>): JsonObject {
  assembleInbound(inbound, dataDir, taken);
  return assembleInbound({ ...inbound, users: new Map([...inbound.users].slice(0, 1)) }, dataDir, taken);
}

/** Throws `CoreError` 'invalid' when an inbound listens on a socket in a folder that does not exist. */
export function checkSocketFolder({ config, tag }: CoreInbound): void {
  const { listen } = config;
  if (typeof listen !== 'string' || !listen.startsWith('/') || existsSync(dirname(listen))) return;
  throw new CoreError('invalid', message('core.socketFolderMissing'), { inbound: tag });
}

/** The local ports on which an inbound listens, as inclusive ranges. Empty for a unix socket. */
export function portsOf(config: JsonObject): readonly (readonly [number, number])[] {
  return String(config['port'] ?? '')
    .split(',')
    .map((part) => part.trim().split('-').map(Number))
    .map(([from = 0, to = from]) => [from, to] as const)
    .filter(([from, to]) => Number.isInteger(from) && Number.isInteger(to) && from > 0 && to >= from);
}

/**
 * Whether an account's connections can outlive its sockets: over UDP, where there is no socket per client, or behind a
 * proxy that speaks for the client, so that the core knows an address that is not the socket's.
 */
export function isDetached(config: JsonObject): boolean {
  if (mayBeDatagram(config)) return true;
  const stream = object(config['streamSettings']);
  return JSON.stringify(stream).search(/"acceptProxyProtocol":true|"trustedXForwardedFor":\[./i) >= 0;
}

/** Whether clients may reach an inbound over UDP. */
export function mayBeDatagram(config: JsonObject): boolean {
  return isDatagram(config, 'udp:');
}

/** Whether a request for `target` (`tcp:…` or `udp:…`) came to an inbound over UDP. */
export function isDatagram(config: JsonObject, target: string): boolean {
  if (isQuic(config) || isKcp(config)) return true;
  const carries = String(settingsOf(config)['network'] ?? '').includes('udp');
  return config['protocol'] === 'shadowsocks' && carries && target.startsWith('udp:');
}

/** The core's idle timeout of UDP connections from clients, plus a margin, in seconds. */
export function idleSeconds(config: JsonObject): number {
  const { maxIdleTimeout } = object(object(object(config['streamSettings'])['finalmask'])['quicParams']);
  if (isQuic(config) && typeof maxIdleTimeout === 'number' && maxIdleTimeout > 0) return maxIdleTimeout + 10;
  // Hysteria and mKCP have their own timeout; all others have the general one.
  return config['protocol'] === 'hysteria' || isKcp(config) ? 60 : 310;
}

function isQuic(config: JsonObject): boolean {
  const network = networkOf(config);
  if (config['protocol'] === 'hysteria' || network === 'hysteria') return true;
  const { alpn } = object(object(config['streamSettings'])['tlsSettings']);
  return ['xhttp', 'splithttp'].includes(network) && Array.isArray(alpn) && alpn.length === 1 && alpn[0] === 'h3';
}

function isKcp(config: JsonObject): boolean {
  return ['kcp', 'mkcp'].includes(networkOf(config));
}

function networkOf(config: JsonObject): string {
  const stream = object(config['streamSettings']);
  return String(stream['network'] ?? stream['method'] ?? 'tcp').toLowerCase();
}

/** An inbound or outbound with the transport under the names that the core reads now. */
export function withCurrentStream(config: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(config).map(([name, member]) =>
      fold(name) === 'streamsettings' && isObject(member)
        ? [name, currentStream(member as JsonObject)]
        : [name, member],
    ),
  );
}

function isShadowsocks2022(config: JsonObject): boolean {
  return config['protocol'] === 'shadowsocks' && String(settingsOf(config)['method']).startsWith('2022-');
}

function randomKey(config: JsonObject): string {
  return randomBytes(String(settingsOf(config)['method']).includes('128') ? 16 : 32).toString('base64');
}

/** A client of classic Shadowsocks needs its own method; a client of Shadowsocks 2022 must have none. */
function inherited(inbound: CoreInbound): JsonObject {
  const method = settingsOf(inbound.config)['method'];
  if (inbound.config['protocol'] !== 'shadowsocks' || isShadowsocks2022(inbound.config)) return {};
  return typeof method === 'string' ? { method } : {};
}

/** Removes `hysteriaSettings.auth`, a password that anyone could use while the inbound has no clients. */
function withoutSharedPassword(config: JsonObject): JsonObject {
  const stream = object(config['streamSettings']);
  const hysteria = Object.fromEntries(
    Object.entries(object(stream['hysteriaSettings'])).filter(([key]) => fold(key) !== 'auth'),
  );
  return { ...config, streamSettings: { ...stream, hysteriaSettings: hysteria } };
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
