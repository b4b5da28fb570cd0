import type { Client } from '../../events/client/client-document.js';
import type { Protocol } from '../../events/inbound/inbound.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { CoreInbound, CoreUser } from '../../lib/core-config.js';
import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.js';

/** The core's own ids where they differ from the panel API's. */
const CORE_PROTOCOL: Partial<Record<Protocol, string>> = {
  hysteria2: 'hysteria',
  dokodemo: 'dokodemo-door',
};
const HOT: ReadonlySet<Protocol> = new Set(['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria', 'hysteria2']);

/** An inbound in the core's format, without its clients and without members that only the panel reads. Pure. */
export function coreInbound(inbound: Inbound): Omit<CoreInbound, 'users'> {
  const { protocol, tag, listen, port, sniffing } = inbound;
  const hysteria = protocol === 'hysteria' || protocol === 'hysteria2';
  const stream = inbound.config.stream === null ? null : coreStream(inbound.config.stream, hysteria);
  const settings = coreSettings(inbound, hysteria);
  const config: JsonObject = {
    tag,
    ...(listen === '' ? {} : { listen }),
    ...(listen.startsWith('/') || listen.startsWith('@') ? {} : { port }),
    protocol: CORE_PROTOCOL[protocol] ?? protocol,
    settings,
    ...(stream === null ? {} : { streamSettings: stream }),
    ...(sniffing['enabled'] === true ? { sniffing: sniffing as JsonObject } : {}),
  };
  return { tag, config, hotUsers: HOT.has(protocol) && !isSingleUser(protocol, settings) };
}

/** The only Shadowsocks 2022 cipher without clients: users connect with the server key. */
function isSingleUser(protocol: Protocol, settings: JsonObject): boolean {
  return protocol === 'shadowsocks' && settings['method'] === '2022-blake3-chacha20-poly1305';
}

function coreSettings({ protocol, config }: Inbound, hysteria: boolean): JsonObject {
  const {
    clients: _clients,
    encryption: _encryption,
    testseed: _testseed,
    ...settings
  } = config.settings as Record<string, Json>;
  if (hysteria) return { version: 2 };
  if (protocol === 'vless') {
    const fallbacks = settings['fallbacks'];
    const { fallbacks: _none, ...rest } = settings;
    const kept = Array.isArray(fallbacks) && fallbacks.length > 0 ? { fallbacks } : {};
    return {
      ...rest,
      ...kept,
      decryption:
        typeof settings['decryption'] === 'string' && settings['decryption'] !== '' ? settings['decryption'] : 'none',
    };
  }
  return settings;
}

/** Members for the client side, or that only the panel reads. */
function coreStream(stream: Readonly<Record<string, unknown>>, hysteria: boolean): JsonObject {
  const { externalProxy: _proxies, ...rest } = stream;
  const kept: Record<string, unknown> = { ...rest };
  for (const name of ['tlsSettings', 'realitySettings']) {
    const security = kept[name];
    if (!isObject(security)) continue;
    const { settings: _client, allowInsecure: _insecure, ...server } = security;
    kept[name] = server;
  }
  const reality = kept['realitySettings'];
  if (isObject(reality) && (reality['minClientVer'] ?? '') === '') {
    // The core's default rejects all clients except recent Xray versions; other panels leave the field empty.
    kept['realitySettings'] = { ...reality, minClientVer: '1.0.0' };
  }
  if (hysteria) {
    const { auth: _shared, ...own } = isObject(kept['hysteriaSettings']) ? kept['hysteriaSettings'] : {};
    kept['network'] = 'hysteria';
    kept['hysteriaSettings'] = { ...own, version: 2 };
  }
  return kept as JsonObject;
}

/** A client in the core's format: only its credentials. */
export function coreUser(inbound: Inbound, client: Client): CoreUser {
  return { client: client.number, email: client.identity.email, account: account(inbound, client) };
}

function account({ protocol, config }: Inbound, { credential, spec }: Client): JsonObject {
  switch (protocol) {
    case 'vless':
      // `-udp443` is an option of the client side; the server has only one vision flow.
      return {
        id: credential.id,
        flow: spec.flow.replace(/-udp443$/, ''),
        ...(spec.reverseTag === '' ? {} : { reverse: { tag: spec.reverseTag } }),
      };
    case 'vmess':
      return { id: credential.id };
    case 'trojan':
      return { password: credential.password };
    case 'shadowsocks': {
      const method = textOf(config.settings['method']);
      return method.startsWith('2022-')
        ? { password: credential.password }
        : { password: credential.password, method: spec.method || method };
    }
    case 'hysteria':
    case 'hysteria2':
      return { auth: credential.auth };
    default:
      return {};
  }
}
