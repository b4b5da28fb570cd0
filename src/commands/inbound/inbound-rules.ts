import { isIP } from 'node:net';
import type { InboundId, NodeId } from '../../events/ids.js';
import type { InboundConfig, InboundSpec } from '../../events/inbound/inbound.js';
import { accountProblem } from '../../lib/account-name.js';
import { sameName, unclearIn } from '../../lib/identifiers.js';
import { isObject, textOf } from '../../lib/json.js';
import { loopbackPorts } from '../../lib/net/loopback-targets.js';
import { message, type Text } from '../../messages/message.js';
import { base64Length, HALF } from '../client/credentials.js';
import type { DecisionContext, OwnPort } from '../command.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';

type Layer4 = 'tcp' | 'udp';

/** Whether an inbound listens on TCP or UDP ports, by protocol and transport. */
export function layers(protocol: string, config: InboundConfig): ReadonlySet<Layer4> {
  const { settings, stream } = config;
  if (protocol === 'hysteria' || protocol === 'hysteria2' || protocol === 'wireguard') return new Set(['udp']);
  if (stream?.['network'] === 'kcp' || stream?.['network'] === 'mkcp') return new Set(['udp']);
  const network = settings['network'] ?? settings['allowedNetwork'];
  const named =
    ['shadowsocks', 'dokodemo', 'dokodemo-door', 'tunnel'].includes(protocol) && typeof network === 'string';
  if (named) {
    const kinds = network.split(',').map((item) => item.trim());
    const known = kinds.filter((item) => item === 'tcp' || item === 'udp');
    return new Set(known.length > 0 ? known : ['tcp']);
  }
  if ((protocol === 'mixed' || protocol === 'socks') && settings['udp'] === true) return new Set(['tcp', 'udp']);
  return new Set(['tcp']);
}

const isAny = (listen: string): boolean => ['', '0.0.0.0', '::', '::0'].includes(listen);
/** Whether two listen addresses overlap. */
export const overlap = (a: string, b: string): boolean =>
  !isSocket(a) && !isSocket(b) && (isAny(a) || isAny(b) || a === b);
const isSocket = (listen: string): boolean => listen.startsWith('/') || listen.startsWith('@');

const ownServers: Readonly<Record<OwnPort['server'], Text>> = {
  panel: message('inbound.panelServer'),
  subscription: message('inbound.subscriptionServer'),
  ops: message('inbound.opsServer'),
};

/** The specification with the machine whose core listens. Nodes are no machines, and a panel that is alone does not name its own. */
export function placed<S extends Pick<InboundSpec, 'machine'>>(
  { machine, ...spec }: S,
  node: NodeId | null,
  { cluster }: Pick<DecisionContext, 'cluster'>,
) {
  const home = node === null ? (machine ?? cluster?.asked) : undefined;
  return { ...spec, ...(home === undefined ? {} : { machine: home }) };
}

export function machineProblem({ members }: PanelState, { machine }: Pick<InboundSpec, 'machine'>): Rejection | null {
  if (machine === undefined || members.has(machine)) return null;
  return reject('MACHINE_UNKNOWN', { machine: machine.slice(0, 70), known: [...members.keys()] });
}

/** `place`: the node, and the id of the inbound if it exists. Machines do not share ports. */
export function portProblem(
  state: PanelState,
  { ownPorts: panelPorts, cluster }: Pick<DecisionContext, 'ownPorts' | 'cluster'>,
  spec: InboundSpec,
  config: InboundConfig,
  place: { readonly id?: InboundId; readonly node: NodeId | null },
): Rejection | null {
  const { port, listen, protocol, machine } = spec;
  // A panel that is alone runs the inbounds of all machines.
  const isSame = (home: string | undefined): boolean => cluster === undefined || home === machine;
  const ownPorts = place.node === null && (cluster === undefined || machine === cluster.here) ? panelPorts : [];
  const others = [...state.inbounds.values()].filter(
    (other) => other.id !== place.id && other.node === place.node && isSame(other.machine),
  );
  const aimed = loopbackPorts(config.settings, config.stream);
  // The two public servers may be behind an inbound. The ops server has no login and must stay local.
  const reached = ownPorts.find((taken) => aimed.has(taken.port) && taken.server === 'ops');
  if (reached) return reject('CONFIG_INVALID', { why: message('inbound.leadsToPanel', { port: reached.port }) });
  if (isSocket(listen)) {
    const other = others.find((inbound) => inbound.listen === listen);
    return other ? reject('SOCKET_TAKEN', { socket: listen, by: message('inbound.name', { tag: other.tag }) }) : null;
  }
  if (port < 1 || port > 65535) return reject('PORT_OUT_OF_RANGE', { port });
  const mine = layers(protocol, config);
  for (const other of others) {
    if (other.port !== port || !overlap(other.listen, listen)) continue;
    const otherLayers = layers(other.protocol, other.config);
    if ([...mine].some((layer) => otherLayers.has(layer)))
      return reject('PORT_TAKEN', { port, by: message('inbound.name', { tag: other.tag }) });
  }
  const own = mine.has('tcp')
    ? ownPorts.find((taken) => taken.port === port && overlap(taken.listen, listen))
    : undefined;
  return own ? reject('PORT_TAKEN', { port, by: ownServers[own.server] }) : null;
}

/** Tags that the panel uses in the core. */
const RESERVED_TAGS = new Set(['api', 'metrics', 'metrics_out']);

/** `stored`: the current tag, which stays allowed even if a new inbound may not have it. */
export function tagProblem(state: PanelState, tag: string, self?: InboundId, stored = ''): Rejection | null {
  const hidden = tag === stored ? null : unclearIn(tag);
  const why =
    tag.length > 128
      ? message('client.nameTooLong', { limit: 128 })
      : tag.includes('>')
        ? message('client.nameSeparator')
        : HALF.test(tag)
          ? message('client.nameNotUnicode')
          : /[\p{Cc}\s]/u.test(tag)
            ? message('inbound.tagSpaces')
            : RESERVED_TAGS.has(tag.toLowerCase()) || tag.startsWith('portolan-')
              ? message('inbound.tagReserved')
              : hidden === null
                ? null
                : message('client.nameInvisible', { code: hidden });
  if (why) return reject('TAG_INVALID', { tag: tag.slice(0, 140), why });
  return tagTaken(state, tag, self) ? reject('TAG_TAKEN', { tag }) : null;
}

function tagTaken(state: PanelState, tag: string, self?: InboundId): boolean {
  for (const inbound of state.inbounds.values()) if (inbound.id !== self && sameName(inbound.tag, tag)) return true;
  return false;
}

/** A free tag: with the port, then also with the transport, then numbered. */
export function freeTag(
  state: PanelState,
  spec: Omit<InboundSpec, 'tag'>,
  config: InboundConfig,
  self?: InboundId,
): string {
  const base = isAny(spec.listen) ? `inbound-${spec.port}` : `inbound-${spec.listen}:${spec.port}`;
  const kinds = [...layers(spec.protocol, config)];
  const typed = `${base}-${kinds.length === 1 ? kinds[0] : 'mixed'}`;
  let tag = base;
  for (let n = 1; tagTaken(state, tag, self); n += 1) tag = n === 1 ? typed : `${typed}-${n}`;
  return tag;
}

const NETWORKS = ['tcp', 'ws', 'grpc', 'kcp', 'httpupgrade', 'xhttp', 'hysteria'];
const OTHER_NAMES_OF_NETWORKS = ['', 'raw', 'websocket', 'mkcp', 'splithttp'];
const SECURITIES = ['none', 'tls', 'reality'];
/** Bytes. */
const MIN_SALAMANDER_BYTES = 4;
const KEY_BYTES: Readonly<Record<string, number>> = {
  '2022-blake3-aes-128-gcm': 16,
  '2022-blake3-aes-256-gcm': 32,
  '2022-blake3-chacha20-poly1305': 32,
};

/** Problems that are found without the core. The core tests the configuration before the command. */
export function configProblem(spec: InboundSpec, config: InboundConfig): Rejection | null {
  if (spec.listen !== '' && !isSocket(spec.listen) && isIP(spec.listen) === 0 && spec.listen !== 'localhost') {
    return reject('LISTEN_INVALID', { listen: spec.listen.slice(0, 100) });
  }
  const why =
    (HALF.test(spec.remark) ? message('inbound.remarkNotUnicode') : null) ??
    transportProblem(spec, config) ??
    protocolProblem(spec, config) ??
    accountProblem(config.settings);
  return why ? reject('CONFIG_INVALID', { why }) : null;
}

/** A name as it was given, or another value as JSON; at most 100 characters. */
function nameOf(value: unknown): string {
  const given = value ?? '';
  return (typeof given === 'string' ? given : JSON.stringify(given)).slice(0, 100);
}

function transportProblem({ protocol }: InboundSpec, { stream }: InboundConfig): Text | null {
  const network = nameOf(stream?.['network']);
  const security = nameOf(stream?.['security']);
  if (![...NETWORKS, ...OTHER_NAMES_OF_NETWORKS].includes(network))
    return message('inbound.networkUnknown', { network, known: NETWORKS });
  if (!['', ...SECURITIES].includes(security))
    return message('inbound.securityUnknown', { security, known: SECURITIES });
  if (security === 'reality') {
    const reality = stream?.['realitySettings'];
    if (!isObject(reality)) return message('inbound.realitySettingsMissing');
    if (!/^[A-Za-z0-9_-]{43}$/.test(textOf(reality['privateKey']))) return message('inbound.realityKeyInvalid');
    if (!['', 'tcp', 'raw', 'grpc', 'xhttp', 'splithttp'].includes(network))
      return message('inbound.realityNetwork', { network });
  }
  if ((protocol === 'hysteria' || protocol === 'hysteria2') && security !== 'tls')
    return message('inbound.hysteriaNeedsTls');
  return maskProblem(stream?.['finalmask']);
}

/** The core's test accepts such a mask, but the core does not start with it. */
function maskProblem(finalmask: unknown): Text | null {
  const masks = isObject(finalmask) && Array.isArray(finalmask['udp']) ? finalmask['udp'].filter(isObject) : [];
  const short = masks.some(({ type, settings }) => {
    const password = isObject(settings) ? textOf(settings['password']) : '';
    return type === 'salamander' && Buffer.byteLength(password) < MIN_SALAMANDER_BYTES;
  });
  return short ? message('inbound.salamanderTooShort') : null;
}

function protocolProblem({ protocol }: InboundSpec, { settings }: InboundConfig): Text | null {
  if (protocol === 'shadowsocks') {
    const method = textOf(settings['method']);
    const bytes = KEY_BYTES[method];
    if (method.startsWith('2022-') && bytes === undefined) return message('client.cipherUnknown', { method });
    if (bytes !== undefined && base64Length(textOf(settings['password'])) !== bytes) {
      return message('inbound.passwordLength', { bytes, method });
    }
  }
  if (protocol === 'wireguard' && typeof settings['secretKey'] !== 'string')
    return message('inbound.wireguardKeyMissing');
  return null;
}
