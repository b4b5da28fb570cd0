import type { ClientCredential, ClientIdentity, ClientSpec } from '../../events/client/client.js';
import type { Protocol } from '../../events/inbound/inbound.js';
import { CLASSIC_CIPHERS } from '../../lib/ciphers.js';
import { hiddenIn, unclearIn } from '../../lib/identifiers.js';
import { textOf } from '../../lib/json.js';
import { LATEST_MS } from '../../lib/time/calendar.js';
import { message, type Text } from '../../messages/message.js';
import { type Rejection, reject } from '../rejection.js';

/** A client as a caller asks for it. */
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

/** Whether the inbound has clients of its own. The others have accounts or peers inside their settings, or none. */
export function hasClients(protocol: Protocol): boolean {
  return WITH_CLIENTS.has(protocol);
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/**
 * What must be unique among the clients of one inbound, or null where nothing must. The core ignores bytes 6 and 7 of a
 * UUID when it matches, so two ids that differ only there are one id to it.
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

/** What names a client in the panel API's paths: its password, email, auth or id, by protocol. */
export function clientKey(protocol: Protocol, client: Pick<ClientDraft, 'identity' | 'credential'>): string {
  if (protocol === 'trojan') return client.credential.password;
  if (protocol === 'shadowsocks') return client.identity.email;
  if (protocol === 'hysteria' || protocol === 'hysteria2') return client.credential.auth;
  return client.credential.id;
}

/** Key lengths in bytes of the multi-user ciphers of shadowsocks 2022 (SIP022). */
const KEY_BYTES: Readonly<Record<string, number>> = { '2022-blake3-aes-128-gcm': 16, '2022-blake3-aes-256-gcm': 32 };
const FLOWS = new Set(['', 'xtls-rprx-vision', 'xtls-rprx-vision-udp443']);
const MAX_TEXT = 1024;
/** Half a character, of which the core makes the same sign whichever it was. */
export const HALF = /\p{Surrogate}/u;

/** The number of bytes that standard base64 text stands for, or -1 when it is not base64. */
export function base64Length(text: string): number {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return -1;
  return Buffer.from(text, 'base64').length;
}

/**
 * Why the core would refuse this client, or would take it and misbehave. Null when it is sound. `stored`: the email that it
 * has already and its subId, which may be such that no client is given any more.
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
  // A replay would meet two of the name and could not tell them apart.
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
  if (Object.values(credential).some((text) => text.length > MAX_TEXT)) return message('client.credentialTooLong');
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
    // One malformed key would freeze the key table of the core (see the core guide, finding 10).
    return base64Length(password) === bytes ? null : message('client.passwordLength', { bytes, method });
  }
  if (method.startsWith('2022-')) return message('client.methodWithoutClients', { method });
  if (password === '') return message('client.passwordEmpty');
  const own = spec.method || method;
  return CLASSIC_CIPHERS.has(own) ? null : message('client.cipherUnknown', { method: own.slice(0, 40) });
}

/** A term of a hundred years: whoever asks for a longer one counts something else than days. */
export const MOST_RESET_DAYS = 36_500;

function specProblem(spec: ClientSpec): Text | null {
  if (spec.expiresAt > LATEST_MS) return message('client.expiryTooLate');
  if (spec.expiresAt < -LATEST_MS) return message('client.expiryOutOfRange');
  if (spec.renewalDays > MOST_RESET_DAYS) return message('client.resetTooLong');
  if (spec.capBytes > Number.MAX_SAFE_INTEGER) return message('client.capOutOfRange');
  return null;
}
