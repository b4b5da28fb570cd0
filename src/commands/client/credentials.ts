import type { ClientCredential, ClientIdentity, ClientSpec } from '../../events/client/client.js';
import type { Protocol } from '../../events/inbound/inbound.js';
import { CLASSIC_CIPHERS } from '../../lib/ciphers.js';
import { hiddenIn, unclearIn } from '../../lib/identifiers.js';
import { textOf } from '../../lib/json.js';
import { MAX_TIME_MS } from '../../lib/time/calendar.js';
import { message, type Text } from '../../messages/message.js';
import { type Rejection, reject } from '../rejection.js';

/** A client as a caller requests it. */
export interface ClientDraft {
  readonly spec: ClientSpec;
  readonly identity: ClientIdentity;
  readonly credential: ClientCredential;
}

const WITH_CLIENTS: ReadonlySet<Protocol> = new Set([
  'vless',
  'vmess',
  'trojan',
  'shadowsocks',
  'hysteria',
  'hysteria2',
]);

/** Whether inbounds of the protocol have clients. Others have accounts or peers in their settings, or none. */
export function hasClients(protocol: Protocol): boolean {
  return WITH_CLIENTS.has(protocol);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/**
 * The part of the credential that must be unique among the clients of an inbound; null if none. The core ignores bytes 6 and 7
 * of a UUID, so ids that differ only there are equal.
 */
export function credentialKey(protocol: Protocol, credential: ClientCredential): string | null {
  switch (protocol) {
    case 'vless':
    case 'vmess': {
      if (!UUID.test(credential.id)) return `text:${credential.id}`;
      const hex = credential.id.replaceAll('-', '').toLowerCase();
      return `uuid:${hex.slice(0, 12)}${hex.slice(16)}`;
    }
    case 'trojan':
    case 'shadowsocks':
      return `password:${credential.password}`;
    case 'hysteria':
    case 'hysteria2':
      return `auth:${credential.auth}`;
    default:
      return null;
  }
}

/** The key of a client in paths of the panel API: its password, email, auth or id, depending on the protocol. */
export function clientKey(protocol: Protocol, client: Pick<ClientDraft, 'identity' | 'credential'>): string {
  if (protocol === 'trojan') return client.credential.password;
  if (protocol === 'shadowsocks') return client.identity.email;
  if (protocol === 'hysteria' || protocol === 'hysteria2') return client.credential.auth;
  return client.credential.id;
}

/** Key lengths in bytes of the multi-user ciphers of shadowsocks 2022 (SIP022). */
const KEY_BYTES: Readonly<Record<string, number>> = { '2022-blake3-aes-128-gcm': 16, '2022-blake3-aes-256-gcm': 32 };
const FLOWS = new Set(['', 'xtls-rprx-vision', 'xtls-rprx-vision-udp443']);
const MAX_TEXT_CHARS = 1024;
/** A lone surrogate. The core replaces all of them by the same character. */
export const HALF = /\p{Surrogate}/u;

/** The number of bytes in standard base64 text; -1 for invalid base64. */
export function base64Length(text: string): number {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return -1;
  return Buffer.from(text, 'base64').length;
}

/**
 * Why the core would reject this client, or accept it and not work; null if it is valid. `stored`: the current email and
 * subId, which stay allowed even if new clients may not have them.
 */
export function clientProblem(
  protocol: Protocol,
  settings: Readonly<Record<string, unknown>>,
  { identity, credential, spec }: ClientDraft,
  stored: Pick<ClientIdentity, 'email' | 'subId'> = { email: '', subId: '' },
): Rejection | null {
  const problem = emailProblem(identity.email, stored.email);
  if (problem) return reject('EMAIL_INVALID', { email: identity.email.slice(0, 100), why: problem });
  const why =
    subIdProblem(identity.subId, stored.subId) ??
    credentialProblem(protocol, settings, credential, spec) ??
    specProblem(spec);
  return why ? reject('CREDENTIAL_INVALID', { email: identity.email, why }) : null;
}

function emailProblem(email: string, stored: string): Text | null {
  if (email.trim() === '') return message('client.nameEmpty');
  if (/^\.\.?$/.test(email) && email !== stored) return message('client.emailPathSegment');
  if (email.length > 256) return message('client.nameTooLong', { limit: 256 });
  if (email !== email.trim()) return message('client.nameSpaces');
  if (HALF.test(email)) return message('client.nameNotUnicode');
  if (email.includes('>')) return message('client.nameSeparator');
  if (/[\p{Cc}\u2028\u2029]/u.test(email)) return message('client.nameControl');
  const hidden = email === stored ? null : unclearIn(email);
  if (hidden !== null) return message('client.nameInvisible', { code: hidden });
  if (/^portolan-/i.test(email)) return message('client.emailReserved');
  // A replay uses these emails for erased clients.
  if (/^erased-\d+$/i.test(email)) return message('client.emailErased');
  return null;
}

function subIdProblem(subId: string, stored: string): Text | null {
  const hidden = subId === stored ? null : hiddenIn(subId);
  return hidden === null ? null : message('client.subIdInvisible', { code: hidden });
}

function credentialProblem(
  protocol: Protocol,
  settings: Readonly<Record<string, unknown>>,
  credential: ClientCredential,
  spec: ClientSpec,
): Text | null {
  if (Object.values(credential).some((text) => text.length > MAX_TEXT_CHARS))
    return message('client.credentialTooLong');
  if (Object.values(credential).some((text) => HALF.test(text))) return message('client.credentialNotUnicode');
  switch (protocol) {
    case 'vless':
    case 'vmess': {
      if (credential.id === '') return message('client.idEmpty');
      if (!UUID.test(credential.id) && Buffer.byteLength(credential.id) > 30) return message('client.idInvalid');
      if (protocol === 'vless' && !FLOWS.has(spec.flow))
        return message('client.flowUnknown', { flow: spec.flow.slice(0, 40) });
      return null;
    }
    case 'trojan':
      return credential.password === '' ? message('client.trojanPasswordEmpty') : null;
    case 'hysteria':
    case 'hysteria2':
      return credential.auth === '' ? message('client.hysteriaAuthEmpty') : null;
    case 'shadowsocks':
      return shadowsocksProblem(settings, credential, spec);
    default:
      return null;
  }
}

function shadowsocksProblem(
  settings: Readonly<Record<string, unknown>>,
  { password }: ClientCredential,
  spec: ClientSpec,
): Text | null {
  const method = textOf(settings['method']);
  const bytes = KEY_BYTES[method];
  if (bytes !== undefined) {
    // One malformed key blocks the key table of the core.
    return base64Length(password) === bytes ? null : message('client.passwordLength', { bytes, method });
  }
  if (method.startsWith('2022-')) return message('client.methodWithoutClients', { method });
  if (password === '') return message('client.passwordEmpty');
  const own = spec.method || method;
  return CLASSIC_CIPHERS.has(own) ? null : message('client.cipherUnknown', { method: own.slice(0, 40) });
}

/** A hundred years. A larger number is probably not in days. */
export const MAX_RESET_DAYS = 36_500;

/** Why the terms of a client are out of range; null if they are not. */
export function specProblem(spec: ClientSpec): Text | null {
  if (spec.expiresAt > MAX_TIME_MS) return message('client.expiryTooLate');
  if (spec.expiresAt < -MAX_TIME_MS)
    return message('client.expiryOutOfRange', { value: spec.expiresAt, min: -MAX_TIME_MS });
  if (spec.renewalDays > MAX_RESET_DAYS) return message('client.resetTooLong');
  if (spec.capBytes > Number.MAX_SAFE_INTEGER)
    return message('client.capOutOfRange', { value: spec.capBytes, max: Number.MAX_SAFE_INTEGER });
  return null;
}
