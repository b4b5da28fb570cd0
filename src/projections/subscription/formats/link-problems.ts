import { CLASSIC_CIPHERS } from '../../../lib/ciphers.js';
import { type Message, message } from '../../../messages/message.js';
import type { LinkParams, ShareLink } from '../share-link.js';

/**
 * Why no app could use a link; null for a valid link. Mihomo and sing-box reject a whole document for one invalid
 * server, so one wrong inbound would make all others unusable.
 */
export function problemOf({ scheme, user, method, params, problem }: ShareLink): Message | null {
  if (problem !== undefined) return problem;
  if (scheme === 'ss' && !isCipher(method, user)) return message('subscription.cipherOrKeyInvalid');
  if (scheme === 'vmess' && !VMESS_CIPHERS.has(method)) return message('subscription.cipherUnknown');
  if (scheme === 'vless' && !isEncryption(params['encryption'] ?? 'none'))
    return message('subscription.encryptionInvalid');
  return realityProblem(params) ?? echProblem(params) ?? xhttpProblem(params) ?? portsProblem(params);
}

const VMESS_CIPHERS: ReadonlySet<string> = new Set(['auto', 'aes-128-gcm', 'chacha20-poly1305']);
/** Key lengths in bytes. */
const CIPHERS_2022 = new Map([
  ['2022-blake3-aes-128-gcm', 16],
  ['2022-blake3-aes-256-gcm', 32],
  ['2022-blake3-chacha20-poly1305', 32],
]);

function isCipher(method: string, user: string): boolean {
  const bytes = CIPHERS_2022.get(method);
  if (bytes === undefined) return CLASSIC_CIPHERS.has(method);
  return user.split(':').every((key) => {
    const decoded = Buffer.from(key, 'base64');
    return decoded.length === bytes && decoded.toString('base64') === key;
  });
}

/** `mlkem768x25519plus.<appearance>.<resumption>.[<paddings>.]<key>…`, with keys of X25519 or ML-KEM-768. */
function isEncryption(encryption: string): boolean {
  if (encryption === 'none') return true;
  const [suite, appearance = '', resumption = '', ...rest] = encryption.split('.');
  const keys = rest.filter((part) => part.length > 20);
  return (
    suite === 'mlkem768x25519plus' &&
    /^(?:native|xorpub|random)$/.test(appearance) &&
    /^[01]rtt$/.test(resumption) &&
    keys.length > 0 &&
    keys.every((key) => /^[\w-]+$/.test(key) && [32, 1184].includes(Buffer.from(key, 'base64url').length)) &&
    rest.every((part) => part.length > 20 || /^\d+-\d+-\d+$/.test(part))
  );
}

export function realityProblem({ security, pbk = '', sid = '' }: LinkParams): Message | null {
  if (security !== 'reality') return null;
  const isKey = /^[\w-]{43}$/.test(pbk);
  return isKey && /^(?:[\da-f]{2}){0,8}$/i.test(sid) ? null : message('subscription.realityInvalid');
}

/** The list begins with its length. */
function echProblem({ ech }: LinkParams): Message | null {
  if (ech === undefined || !/^[\w+/]+=*$/.test(ech)) return null;
  const list = Buffer.from(ech, 'base64');
  const isList = list.length > 4 && list.readUInt16BE(0) === list.length - 2 && list.toString('base64') === ech;
  return isList ? null : message('subscription.echInvalid');
}

function xhttpProblem({ type, mode = 'auto' }: LinkParams): Message | null {
  if (type !== 'xhttp' || /^(?:auto|packet-up|stream-up|stream-one)$/.test(mode)) return null;
  return message('subscription.xhttpModeUnknown');
}

function portsProblem({ mport }: LinkParams): Message | null {
  const isRange = (range: string) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return /^\d+(?:-\d+)?$/.test(range) && from > 0 && from <= to && to <= 65_535;
  };
  return mport === undefined || mport.split(',').every(isRange) ? null : message('subscription.portsInvalid');
}
