import { InboundConfig } from '../../events/inbound/inbound.js';
import { fieldsOf, textOf, withoutServerMembers } from './fields.js';

/** Transport settings that links repeat. Members in them that only the server may know are left out. */
const TRANSPORTS = [
  'tcpSettings',
  'rawSettings',
  'kcpSettings',
  'wsSettings',
  'httpupgradeSettings',
  'grpcSettings',
  'xhttpSettings',
  'splithttpSettings',
  'finalmask',
  'externalProxy',
] as const;
type Members = InboundConfig['settings'];

const NAMES = ['network', 'method', 'security'] as const;
const OF_TLS = ['serverName', 'alpn', 'settings'] as const;
const OF_REALITY = ['serverNames', 'shortIds', 'settings'] as const;

/**
 * The part of the configuration of an inbound that links contain. It gives the same links and has no private keys, no
 * certificates, and no passwords but those that every client of the inbound has.
 */
export function linkConfig({ settings, stream }: InboundConfig): InboundConfig {
  return { settings: linkSettings(settings), stream: stream && linkStream(stream) };
}

/** What a mirror gets of a sealed field. Throws for another field than the configuration of an inbound. */
export function reducedForLinks(field: string, value: unknown): InboundConfig {
  if (field !== 'config') throw new Error(`a mirror cannot have a part of ${field}`);
  return linkConfig(InboundConfig.parse(value));
}

function linkSettings(settings: Members): Members {
  const { fallbacks } = settings;
  // The server key is a part of the password of each client only with these ciphers.
  const isShared = textOf(settings['method']).startsWith('2022-');
  return {
    ...picked(settings, isShared ? ['method', 'password', 'encryption'] : ['method', 'encryption']),
    ...(Array.isArray(fallbacks) ? { fallbacks: fallbacks.map((each) => picked(fieldsOf(each), ['dest'])) } : {}),
  };
}

function linkStream(stream: Members): Members {
  const { tlsSettings, realitySettings } = stream;
  return {
    ...picked(stream, [...NAMES, ...TRANSPORTS]),
    ...(tlsSettings === undefined ? {} : { tlsSettings: picked(fieldsOf(tlsSettings), OF_TLS) }),
    ...(realitySettings === undefined ? {} : { realitySettings: picked(fieldsOf(realitySettings), OF_REALITY) }),
  };
}

/** Copies of these members. */
function picked(from: Readonly<Record<string, unknown>>, names: readonly string[]): Members {
  return withoutServerMembers(Object.fromEntries(names.map((name) => [name, from[name]]))) as Members;
}
