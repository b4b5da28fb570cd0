import type { ApiError } from '../../../api/client';
import { type Json, valueAt } from '../../../model/json';
import type { Draft } from './draft';
import { shownFields } from './values';

type Refusal = Pick<ApiError, 'code' | 'message' | 'reasons'>;

interface Rule {
  readonly text: RegExp;
  /** Ends of the paths of the fields that it can be about. */
  readonly fields: readonly string[];
}

const STREAM = 'streamSettings';
const CERTIFICATE = `${STREAM}.tlsSettings.certificates.0`;

/** Fields by the code of a refusal, or by the code of its reason. */
const FIELD_OF_CODE: Readonly<Record<string, string>> = {
  ...{ PORT_TAKEN: 'port', PORT_FORBIDDEN: 'port', PORT_OUT_OF_RANGE: 'port' },
  ...{
    LISTEN_UNKNOWN: 'listen',
    LISTEN_INVALID: 'listen',
    SOCKET_TAKEN: 'listen',
    'core.socketFolderMissing': 'listen',
  },
  ...{
    TAG_TAKEN: 'tag',
    TAG_INVALID: 'tag',
    NODE_NOT_FOUND: 'nodeId',
    MACHINE_UNKNOWN: 'machine',
    'inbound.remarkNotUnicode': 'remark',
  },
  ...{ 'inbound.networkUnknown': `${STREAM}.network`, 'inbound.realityNetwork': `${STREAM}.network` },
  ...{ 'inbound.securityUnknown': `${STREAM}.security`, 'inbound.hysteriaNeedsTls': `${STREAM}.security` },
  'inbound.realityKeyInvalid': `${STREAM}.realitySettings.privateKey`,
  'inbound.salamanderTooShort': `${STREAM}.finalmask.udp.0.settings.password`,
  ...{ 'inbound.passwordLength': 'settings.password', 'client.cipherUnknown': 'settings.method' },
  'inbound.wireguardKeyMissing': 'settings.secretKey',
};

/** What the core says about a value without naming its field. */
const RULES: readonly Rule[] = [
  { text: /ECH Config/, fields: ['tlsSettings.echServerKeys'] },
  { text: /unsupported mode:/, fields: ['xhttpSettings.mode'] },
  { text: /Mtu must be/, fields: ['kcpSettings.mtu'] },
  { text: /mKCP TTI/, fields: ['kcpSettings.tti'] },
  { text: /CwndMultiplier must be/, fields: ['kcpSettings.cwndMultiplier'] },
  { text: /UdpIdleTimeout must be/, fields: ['hysteriaSettings.udpIdleTimeout'] },
  { text: /unknown congestion control/, fields: ['quicParams.congestion'] },
  { text: /unknown cipher method/, fields: ['settings.method'] },
  { text: /\b(decode psk|bad key|missing psk)\b/, fields: ['settings.password'] },
  { text: /infra\/conf: unknown protocol:/, fields: ['sniffing.destOverride'] },
  { text: /geosite\.dat|illegal domain rule|parsing regexp/, fields: ['sniffing.domainsExcluded'] },
  { text: /geoip\.dat|illegal ip rule|unsupported address family/, fields: ['sniffing.ipsExcluded'] },
  { text: /unsupported domain strategy/, fields: ['sockopt.domainStrategy'] },
  { text: /unknown transport protocol|REALITY only supports/, fields: ['streamSettings.network'] },
  { text: /Unknown security/, fields: ['streamSettings.security'] },
  {
    text: /Invalid integer range/,
    fields: ['xPaddingBytes', 'scMaxEachPostBytes', 'scStreamUpServerSecs'],
  },
  { text: /ParseFloat/, fields: ['quicParams.brutalUp', 'quicParams.brutalDown'] },
  { text: /invalid port range|looking for beginning of value/, fields: ['udpHop.ports'] },
  { text: /WireGuard secret key/, fields: ['settings.secretKey'] },
  { text: /len\(slice\) != 32/, fields: ['settings.secretKey', 'peers.publicKey', 'peers.preSharedKey'] },
  { text: /netip\.Parse/, fields: ['peers.allowedIPs'] },
];

const isKey = (value: string): boolean => /^([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})$/.test(value);
const isRange = (value: string): boolean => /^-?\d+(-\d+)?$/.test(value);
/** Which values the core can read, by the name of the field: decides where several fields are possible. */
const READABLE: Readonly<Record<string, (value: string) => boolean>> = {
  ...{ secretKey: isKey, publicKey: isKey, preSharedKey: isKey },
  ...{ xPaddingBytes: isRange, scMaxEachPostBytes: isRange, scStreamUpServerSecs: isRange },
  brutalUp: (value) => /^\d/.test(value),
  brutalDown: (value) => /^\d/.test(value),
  dest: (value) => /^(\d+|[@/].+|.+:\d+)$/.test(value),
  path: (value) => value.startsWith('/'),
  xver: (value) => /^[012]$/.test(value),
  allowedIPs: (value) => /^[\da-fA-F.:]+\/\d+$/.test(value),
};

/** The path of the field that a refusal is about; null if the form has no such field, or if several are possible. */
export function problemField(error: Refusal, draft: Draft): string | null {
  const { code, message, reasons } = error;
  const known = [code, ...reasons].map((one) => FIELD_OF_CODE[one]).find((path) => path !== undefined);
  if (known !== undefined) return shownAt(draft, known);
  if (reasons.includes('inbound.accountLikeClient')) return accountLikeClient(draft);
  if (reasons.some((one) => one.startsWith('certificate.'))) return shownAt(draft, certificateField(reasons, draft));
  if (code === 'INPUT_INVALID') return wrongMember(message, draft);
  return code === 'CORE_REFUSED' ? namedByCore(message, draft) : null;
}

function shownAt(draft: Draft, path: string | null): string | null {
  return shownFields(draft).some((field) => field.path === path) ? path : null;
}

function accountLikeClient(draft: Draft): string | null {
  const users = shownFields(draft).filter(
    ({ path }) => path.startsWith('settings.accounts.') && path.endsWith('.user'),
  );
  return users.find(({ path }) => /^[1-9]\d*:/.test(String(valueAt(draft, path))))?.path ?? null;
}

const OF_KEY = new Set(['keyFileNotPem', 'keyLinesNotPem', 'keyMissing', 'keyMismatch', 'key']);

/** The form has one certificate with its key: from files or as lines. */
function certificateField(reasons: readonly string[], draft: Draft): string | null {
  const all = valueAt(draft, `${STREAM}.tlsSettings.certificates`);
  if (Array.isArray(all) && all.length > 1) return null;
  const isOfKey = reasons.some((one) => OF_KEY.has(one.slice('certificate.'.length)));
  const hasLines = [`${CERTIFICATE}.certificate`, `${CERTIFICATE}.key`].some((path) => !isEmpty(valueAt(draft, path)));
  if (hasLines) return `${CERTIFICATE}.${isOfKey ? 'key' : 'certificate'}`;
  return `${CERTIFICATE}.${isOfKey ? 'keyFile' : 'certificateFile'}`;
}

/** The panel names a member that is not valid before a colon: `remark: may have at most 500 characters`. */
function wrongMember(message: string, draft: Draft): string | null {
  for (const [, path = ''] of message.matchAll(/([A-Za-z][\w.]*)\u2069?:/g)) {
    const found = shownAt(draft, path);
    if (found !== null) return found;
  }
  return null;
}

/** The core names a member in quotation marks, or with its path in a structure of Go, or only describes its value. */
function namedByCore(message: string, draft: Draft): string | null {
  const [, inGo = ''] = /Go struct field \w+\.([\w.]+) of type/.exec(message) ?? [];
  if (inGo !== '') {
    const path = inGo.startsWith('inbounds.') ? inGo.slice('inbounds.'.length) : `settings.${inGo}`;
    return oneOf(draft, (plain) => plain === path);
  }
  const rule = RULES.find(({ text }) => text.test(message));
  if (rule) return oneOf(draft, (plain) => rule.fields.some((end) => plain === end || plain.endsWith(`.${end}`)));
  const isOfFallback = message.includes('fallbacks: ');
  for (const [, name = ''] of message.matchAll(/["«“]\u2068?([A-Za-z][\w.]*)(?:\[\d+\])?\u2069?["»”]/g)) {
    const end = isOfFallback ? `fallbacks.${name}` : name;
    const found = oneOf(
      draft,
      (plain) => plain.endsWith(`.${end}`) && (isOfFallback || !plain.startsWith('settings.fallbacks.')),
    );
    if (found !== null) return found;
  }
  return null;
}

/** Members that only the panel reads: the core says nothing about them. */
const OF_PANEL = /^(?!settings\.|sniffing\.|streamSettings\.)|(tls|reality)Settings\.settings\.|\.externalProxy\./;

/** The one field for which `isMeant` holds, or the first of several whose value the core cannot read. */
function oneOf(draft: Draft, isMeant: (pathWithoutIndexes: string) => boolean): string | null {
  const paths = shownFields(draft)
    .map(({ path }) => path)
    .filter((path) => !OF_PANEL.test(path) && isMeant(path.replaceAll(/\.\d+(?=\.|$)/g, '')));
  if (paths.length < 2) return paths[0] ?? null;
  return paths.find((path) => !isReadable(path, valueAt(draft, path))) ?? null;
}

function isReadable(path: string, value: Json | undefined): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const test = READABLE[name];
  // An empty destination is an error; other empty fields are left out.
  if (isEmpty(value)) return name !== 'dest';
  return test === undefined || (Array.isArray(value) ? value : [value]).every((one) => test(String(one)));
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
