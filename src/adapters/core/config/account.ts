import { createHash } from 'node:crypto';
import { CoreError, type CoreInbound, type CoreUser } from '../../../commands/ports/core.js';
import { accountName } from '../../../lib/account-name.js';
import { canonicalJson, isObject, type JsonObject } from '../../../lib/json.js';
import { message, type Text } from '../../../messages/message.js';
import { decode, encode, type TypedMessage, typed } from '../control/messages.js';

type Fields = Readonly<Record<string, string | number>>;

/** The accounts of one protocol: the protobuf message that carries them, and its fields. */
interface Form {
  readonly message: string;
  /** Throws `CoreError` 'invalid'. */
  fields(account: JsonObject, settings: JsonObject): Fields;
}

const ciphers: Readonly<Record<string, number>> = {
  'aes-128-gcm': 5,
  'aes-256-gcm': 6,
  'chacha20-poly1305': 7,
  'chacha20-ietf-poly1305': 7,
  'xchacha20-poly1305': 8,
  'xchacha20-ietf-poly1305': 8,
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const keyBytes: Readonly<Record<string, number>> = { '2022-blake3-aes-128-gcm': 16, '2022-blake3-aes-256-gcm': 32 };

const forms: Readonly<Record<string, Form>> = {
  vless: {
    message: 'xray.proxy.vless.Account',
    fields: (account) => {
      const flow = text(account, 'flow', true);
      if (flow !== '' && flow !== 'xtls-rprx-vision') throw invalid(message('core.flowUnknown', { flow }));
      return { id: uuidOf(text(account, 'id')), flow };
    },
  },
  vmess: { message: 'xray.proxy.vmess.Account', fields: (account) => ({ id: uuidOf(text(account, 'id')) }) },
  trojan: { message: 'xray.proxy.trojan.Account', fields: (account) => ({ password: text(account, 'password') }) },
  hysteria: { message: 'xray.proxy.hysteria.account.Account', fields: (account) => ({ auth: text(account, 'auth') }) },
  shadowsocks: {
    message: 'xray.proxy.shadowsocks.Account',
    fields: (account, settings) => {
      const method = text(account, 'method', true) || text(settings, 'method', true);
      const cipher = ciphers[method.toLowerCase()];
      if (cipher === undefined) throw invalid(message('core.methodUnknown'));
      return { password: text(account, 'password'), cipher_type: cipher };
    },
  },
  'shadowsocks-2022': {
    message: 'xray.proxy.shadowsocks_2022.Account',
    // The core accepts a malformed key, but then never updates the key table of the inbound: removed accounts stay valid.
    fields: (account, settings) => {
      const key = text(account, 'password');
      const size = keyBytes[text(settings, 'method', true)];
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(key) || key.length % 4 !== 0 || Buffer.from(key, 'base64').length !== size) {
        throw invalid(message('core.clientKeyInvalid', { size: size ?? 0 }));
      }
      return { key };
    },
  },
};

/** The format of an inbound's accounts; null = it has none. An account in another format crashes the core. */
export function accountFormatOf(config: JsonObject): Form | null {
  const protocol = config['protocol'];
  if (protocol !== 'shadowsocks')
    return typeof protocol === 'string' && Object.hasOwn(forms, protocol) ? (forms[protocol] ?? null) : null;
  const method = text(settingsOf(config), 'method', true);
  if (!method.startsWith('2022-')) return forms['shadowsocks'] ?? null;
  return Object.hasOwn(keyBytes, method) ? (forms['shadowsocks-2022'] ?? null) : null;
}

/** The `AddUserOperation` of an account. Throws `CoreError` 'invalid' for an account that the core must not see. */
export function addUserOperation(inbound: CoreInbound, user: CoreUser): TypedMessage {
  const { form, fields } = read(inbound, user);
  return typed('xray.app.proxyman.command.AddUserOperation', {
    user: { level: 0, email: accountName(user), account: { type: form.message, value: encode(form.message, fields) } },
  });
}

/** Throws `CoreError` 'invalid' for an account that the core rejects or misunderstands. */
export function checkAccount(inbound: CoreInbound, user: CoreUser): void {
  read(inbound, user);
}

export function accountDigest(inbound: CoreInbound, user: CoreUser): string {
  const { form, fields } = read(inbound, user);
  return digest(form, accountName(user), fields);
}

/** The digest of an account as the core has it; equals `accountDigest` of the account that was sent. */
export function runningDigest(config: JsonObject, name: string, account: TypedMessage | null): string {
  const form = accountFormatOf(config);
  if (form === null || account === null || account.type !== form.message) return '';
  return digest(form, name, decode<Fields>(form.message, account.value));
}

function read(inbound: CoreInbound, user: CoreUser): { form: Form; fields: Fields } {
  const form = accountFormatOf(inbound.config);
  if (form === null) throw invalid(message('core.noAccountsToAdd'), inbound.tag);
  if (user.email === '' || user.email.includes('>>>')) throw invalid(message('core.accountEmailInvalid'), inbound.tag);
  try {
    return { form, fields: form.fields(user.account, settingsOf(inbound.config)) };
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    throw invalid(message('core.accountOfClient', { why: error.text, client: user.email }), inbound.tag);
  }
}

function digest(form: Form, name: string, fields: Fields): string {
  return createHash('sha256')
    .update(`${form.message} ${canonicalJson([name, fields])}`)
    .digest('base64url');
}

export function settingsOf(config: JsonObject): JsonObject {
  const settings = config['settings'];
  return isObject(settings) ? (settings as JsonObject) : {};
}

function text(from: JsonObject, key: string, optional = false): string {
  const value = from[key];
  if (typeof value === 'string' && (value !== '' || optional)) return value;
  if (optional && (value === undefined || value === null)) return '';
  throw invalid(message('core.accountTextMissing', { key }));
}

/** Xray accepts a UUID, or a text of up to 30 bytes, from which it makes a UUID of version 5 in the nil namespace. */
function uuidOf(id: string): string {
  // The usual case, checked first: each configuration may have thousands of clients.
  if (UUID.test(id)) return id;
  const hex = id.replaceAll('-', '').toLowerCase();
  if (/^[0-9a-f]{32}$/.test(hex)) return dashed(hex);
  if (Buffer.byteLength(id) > 30) throw invalid(message('core.accountIdInvalid'));
  const hash = createHash('sha1').update(Buffer.alloc(16)).update(id).digest().subarray(0, 16);
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return dashed(hash.toString('hex'));
}

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function invalid(why: Text, inbound: string | null = null): CoreError {
  return new CoreError('invalid', why, { inbound });
}
