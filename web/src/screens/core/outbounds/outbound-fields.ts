import { outboundOptions } from '../../../api/outbound-options.generated';
import { type JsonObject, valueAt } from '../../../model/json';
import { type Loss, lossesOf as lossesIn, type Parts } from '../../../model/losses';
import { MASK, maskSetting, withMaskSetting } from '../../../model/masks';
import { inputAt } from '../../../model/options';
import type { FieldDefinition, Lens } from '../Fields';
import { textAt } from '../template';
import { dnsLists, freedomLists, type Help, type Label, type Look, type Row, same } from './outbound-rows';
import { placesOf } from './places';

export const PROTOCOLS = Object.keys(outboundOptions.settings);
const WITH_STREAM = new Set(['vless', 'vmess', 'trojan', 'shadowsocks', 'socks', 'http']);
const NETWORKS = ['tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp'];
const STREAM = 'streamSettings';

const SECRET = { isSecret: true };

const OBFS = `${MASK}.settings.password`;
const obfs: Lens = {
  get: (outbound) => maskSetting(outbound, 'salamander', 'password'),
  set: (outbound, value) => withMaskSetting(outbound, 'salamander', 'password', value),
};

/** The inputs of an outbound: those of its protocol, then those of its transport and its security. */
export function outboundFields(
  outbound: JsonObject,
  others: readonly string[],
  t: (label: Label) => string,
  helpOf: (help: Help) => string = (help) => help,
): readonly FieldDefinition[] {
  const protocol = textAt(outbound, 'protocol');
  const fieldOf =
    (parent: string) =>
    ([path, label, look]: Row): FieldDefinition => ({
      path,
      ...(path === OBFS ? { lens: obfs } : {}),
      label: typeof label === 'string' ? t(label) : (label?.same ?? path.slice(path.lastIndexOf('.') + 1)),
      ...(look?.help ? { help: helpOf(look.help) } : {}),
      ...kindOf(protocol, `${parent}${path}`, look),
      ...(look?.items
        ? { items: { fields: look.items.rows.map(fieldOf(`${parent}${path}.0.`)), fresh: look.items.fresh } }
        : {}),
    });
  return rowsOf(outbound, others).map(fieldOf(''));
}

/** What the contract says of an option. Its default is the empty choice: an absent member stays absent. */
function kindOf(protocol: string, path: string, { isSecret = false, options }: Look = {}) {
  const isOfSettings = path.startsWith('settings.');
  const schema = isOfSettings ? outboundOptions.settings[protocol] : outboundOptions.root;
  const { kind, options: known, isRequired } = inputAt(schema, isOfSettings ? path.slice('settings.'.length) : path);
  if (isSecret) return { kind: 'secret' as const };
  const values = options ?? known;
  const all = kind !== 'select' || isRequired || values?.includes('') ? values : ['', ...(values ?? [])];
  return { kind: options ? ('select' as const) : kind, options: all };
}

function rowsOf(outbound: JsonObject, others: readonly string[]): readonly Row[] {
  const protocol = textAt(outbound, 'protocol');
  const through: readonly Row[] = [
    [`${STREAM}.sockopt.dialerProxy`, 'through', { options: ['', ...others] }],
    ['sendThrough', 'sendThrough'],
  ];
  return [
    ['tag', 'name'],
    ['protocol', 'protocol', { options: PROTOCOLS }],
    ...(protocol in outboundOptions.settings ? protocolRows(outbound, protocol) : []),
    ...(WITH_STREAM.has(protocol) ? streamRows(outbound) : []),
    ...(protocol === 'blackhole' || protocol === 'loopback' ? [] : through),
  ];
}

function protocolRows(outbound: JsonObject, protocol: string): readonly Row[] {
  const { server, user } = placesOf(outbound);
  const where: readonly Row[] = [
    [`${server}.address`, 'address'],
    [`${server}.port`, 'port'],
  ];
  switch (protocol) {
    case 'freedom':
      return [
        ['settings.domainStrategy', 'strategy'],
        ['settings.redirect', 'redirect'],
        ['settings.fragment.packets', same('fragment: packets')],
        ['settings.fragment.length', same('fragment: length')],
        ['settings.fragment.interval', same('fragment: interval')],
        ['settings.proxyProtocol'],
        ...freedomLists,
      ];
    case 'blackhole':
      return [['settings.response.type', 'response']];
    case 'dns':
      return [
        ['settings.network', 'network'],
        ['settings.address', 'address'],
        ['settings.port', 'port'],
        ...dnsRows(outbound),
      ];
    case 'loopback':
      return [
        ['settings.inboundTag', 'inboundTag'],
        ['settings.sniffing.enabled', 'sniffing'],
        ...(valueAt(outbound, 'settings.sniffing.enabled') === true
          ? (['destOverride', 'routeOnly', 'metadataOnly'] as const).map(
              (name) => [`settings.sniffing.${name}`] as const,
            )
          : []),
      ];
    case 'vless':
      return [...where, [`${user}.id`, same('UUID')], [`${user}.encryption`, 'encryption'], [`${user}.flow`, 'flow']];
    case 'vmess':
      return [...where, [`${user}.id`, same('UUID')], [`${user}.security`, 'encryption']];
    case 'trojan':
      return [...where, [`${user}.password`, 'password', SECRET]];
    case 'shadowsocks':
      return [...where, [`${user}.method`, 'method'], [`${user}.password`, 'password', SECRET]];
    case 'socks':
    case 'http':
      return [
        ...where,
        [`${user}.user`, 'user'],
        [`${user}.pass`, 'password', SECRET],
        ...(protocol === 'http' ? ([['settings.headers', 'headers', { help: 'headers' }]] as const) : []),
      ];
    case 'hysteria':
      return [...where, ...hysteriaRows(outbound)];
    default:
      return [
        ['settings.secretKey', 'privateKey', SECRET],
        ['settings.address', 'ownAddresses'],
        ['settings.peers.0.publicKey', 'publicKey'],
        ['settings.peers.0.preSharedKey', undefined, SECRET],
        ['settings.peers.0.endpoint', 'endpoint'],
        ['settings.peers.0.allowedIPs'],
        ['settings.peers.0.keepAlive'],
        ['settings.mtu', same('MTU')],
        ['settings.domainStrategy', 'strategy'],
        ['settings.noKernelTun'],
      ];
  }
}

/** The core refuses rules together with the options that they replace. */
function dnsRows(outbound: JsonObject): readonly Row[] {
  const isOlder = ['nonIPQuery', 'blockTypes'].some((name) => valueAt(outbound, `settings.${name}`) !== undefined);
  const hasRules = valueAt(outbound, 'settings.rules') !== undefined;
  return [...(hasRules ? [] : ([['settings.nonIPQuery']] as const)), ...(isOlder ? [] : dnsLists)];
}

function hysteriaRows(outbound: JsonObject): readonly Row[] {
  const quic = `${STREAM}.finalmask.quicParams`;
  const isBrutal = /brutal/.test(textAt(outbound, `${quic}.congestion`));
  return [
    [`${STREAM}.hysteriaSettings.auth`, 'password', SECRET],
    ...tlsRows(),
    [OBFS, 'obfs', SECRET],
    [`${quic}.udpHop.ports`, 'hopPorts'],
    [`${quic}.congestion`],
    ...(isBrutal ? ([[`${quic}.brutalUp`], [`${quic}.brutalDown`]] as const) : []),
  ];
}

const tlsRows = (): readonly Row[] => [
  [`${STREAM}.tlsSettings.serverName`, same('SNI')],
  [`${STREAM}.tlsSettings.fingerprint`, same('uTLS')],
  [`${STREAM}.tlsSettings.alpn`, same('ALPN')],
  [`${STREAM}.tlsSettings.pinnedPeerCertSha256`],
  [`${STREAM}.tlsSettings.verifyPeerCertByName`],
  [`${STREAM}.tlsSettings.echConfigList`],
];

/** What each transport has, inside its settings. */
const CARRIERS: Readonly<Record<string, readonly Row[]>> = {
  ws: [['path', 'path'], ['host', 'host'], ['heartbeatPeriod']],
  httpupgrade: [
    ['path', 'path'],
    ['host', 'host'],
  ],
  xhttp: [['path', 'path'], ['host', 'host'], ['mode'], ['xPaddingBytes'], ['noGRPCHeader']],
  grpc: [['serviceName', 'serviceName'], ['authority'], ['multiMode'], ['user_agent'], ['idle_timeout']],
  kcp: [['mtu', same('MTU')], ['tti', same('TTI')], ['uplinkCapacity'], ['downlinkCapacity']],
};

function streamRows(outbound: JsonObject): readonly Row[] {
  const network = textAt(outbound, `${STREAM}.network`);
  const security = textAt(outbound, `${STREAM}.security`);
  const inside = (CARRIERS[network] ?? []).map(
    ([path, label]) => [`${STREAM}.${network}Settings.${path}`, label] as const,
  );
  const reality: readonly Row[] = [
    [`${STREAM}.realitySettings.serverName`, same('SNI')],
    [`${STREAM}.realitySettings.fingerprint`, same('uTLS')],
    [`${STREAM}.realitySettings.password`, 'publicKey'],
    [`${STREAM}.realitySettings.shortId`, 'shortId'],
    [`${STREAM}.realitySettings.spiderX`],
    [`${STREAM}.realitySettings.mldsa65Verify`],
  ];
  return [
    [`${STREAM}.network`, 'transport', { options: ['', ...NETWORKS] }],
    ...inside,
    [`${STREAM}.security`, 'security'],
    ...(security === 'tls' ? tlsRows() : security === 'reality' ? reality : []),
    ['mux.enabled', same('mux')],
    ...(valueAt(outbound, 'mux.enabled') === true
      ? ([['mux.concurrency'], ['mux.xudpConcurrency'], ['mux.xudpProxyUDP443']] as const)
      : []),
  ];
}

/** What an outbound needs besides its inputs. */
const STARTS: Readonly<Record<string, JsonObject>> = {
  vless: { settings: { encryption: 'none' } },
  hysteria: {
    settings: { version: 2 },
    streamSettings: {
      ...{ network: 'hysteria', security: 'tls', tlsSettings: { alpn: ['h3'] } },
      hysteriaSettings: { version: 2 },
    },
  },
};

/**
 * The outbound after an input. Another protocol keeps the name, the server and the transport if it has them; `kept` are the
 * outbounds that the form has had, by protocol: choosing one again brings it back.
 */
export function changed(before: JsonObject, after: JsonObject, kept: Map<string, JsonObject>): JsonObject {
  const [from, to] = [textAt(before, 'protocol'), textAt(after, 'protocol')];
  if (from !== to) {
    kept.set(from, before);
    const { tag, sendThrough } = after;
    const own = { tag, protocol: to, ...(sendThrough === undefined ? {} : { sendThrough }) };
    return { ...(kept.get(to) ?? startOf(before, to)), ...own };
  }
  return after;
}

/** What the choice of another protocol has removed from the outbound: a save drops it. */
export function lossesOf(outbound: JsonObject, kept: ReadonlyMap<string, JsonObject>): readonly Loss[] {
  const others = [...kept].filter(([protocol]) => protocol !== textAt(outbound, 'protocol'));
  return lossesIn(
    outbound as Parts,
    Object.fromEntries(others) as Readonly<Record<string, Parts>>,
    (name) => (STARTS[name] ?? {}) as Parts,
  );
}

function startOf(before: JsonObject, protocol: string): JsonObject {
  const start = STARTS[protocol] ?? {};
  const hasServer = (name: string): boolean =>
    outboundOptions.settings[name]?.properties?.['address']?.type === 'string';
  const address = valueAt(before, 'settings.address');
  const port = valueAt(before, 'settings.port');
  const isServer = hasServer(protocol) && hasServer(textAt(before, 'protocol')) && protocol !== 'dns';
  const server = isServer && typeof address === 'string' ? { address, ...(port === undefined ? {} : { port }) } : {};
  const keepsStream = WITH_STREAM.has(protocol) && WITH_STREAM.has(textAt(before, 'protocol'));
  const { streamSettings } = before;
  return {
    ...start,
    settings: { ...(start['settings'] as JsonObject | undefined), ...server },
    ...(keepsStream && streamSettings !== undefined ? { streamSettings } : {}),
  };
}
