import { hasClients } from '../../../commands/client/credentials.js';
import type { Client } from '../../../events/client/client-document.js';
import { type Inbound, serves } from '../../../events/inbound/inbound-document.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { JsonOf } from '../contract/route.js';
import type { InboundReply } from '../contract/schemas/inbound.js';
import { clientText, escaped } from './client.js';
import { clientTraffic } from './client-traffic.js';
import { completeSniffing, completeStream } from './inbound.js';

/** An inbound with its clients and all counters, as the API returns it. */
export function wireInbound(read: ReadModels, inbound: Inbound): InboundReply {
  const clients = read.clients.ofInbound(inbound.id);
  const stats = clients.map((client) => clientTraffic(read, client));
  return replyOf(read, inbound, stats, JSON.parse(settingsJson(inbound, clients)) as string);
}

function replyOf(
  read: ReadModels,
  inbound: Inbound,
  clientStats: InboundReply['clientStats'],
  settings: string,
): InboundReply {
  const { up, down } = read.usage.inbound(inbound);
  return {
    id: inbound.id,
    userId: inbound.owner,
    up,
    down,
    total: inbound.capBytes,
    allTime: Math.max(read.usage.inboundAllTime(inbound), up + down),
    remark: inbound.remark,
    // The effective state, not the chosen one: an inbound that reached its cap or expiry is disabled.
    enable: serves(inbound),
    expiryTime: inbound.expiresAt,
    trafficReset: inbound.trafficReset,
    lastTrafficResetTime: inbound.resetAt,
    clientStats,
    listen: inbound.listen,
    port: inbound.port,
    protocol: inbound.protocol,
    settings,
    streamSettings: streamText(inbound),
    tag: inbound.tag,
    sniffing: JSON.stringify(completeSniffing(inbound.sniffing)),
    ...(inbound.node === null ? {} : { nodeId: inbound.node }),
  };
}

/**
 * The same as JSON. The settings and counters of ten thousand clients are joined from cached texts, so a change of one
 * client serializes only that client.
 */
export function inboundJson(read: ReadModels, inbound: Inbound): JsonOf<InboundReply> {
  const clients = read.clients.ofInbound(inbound.id);
  const { clientStats: _stats, settings: _settings, ...rest } = replyOf(read, inbound, [], '');
  const stats = clients.map((client) => JSON.stringify(clientTraffic(read, client))).join(',');
  const settings = settingsJson(inbound, clients);
  return new JsonOf(`${JSON.stringify(rest).slice(0, -1)},"clientStats":[${stats}],"settings":${settings}}`);
}

interface Joined {
  readonly clients: readonly Client[];
  readonly json: string;
}
/** The latest settings of each inbound, with their clients. */
const joined = new WeakMap<Inbound, Joined>();

/**
 * The text of the settings with their clients, as a JSON string with quotes. It is joined from cached texts of the clients,
 * so ten thousand of them are not serialized for each reader or for each change.
 */
function settingsJson(inbound: Inbound, clients: readonly Client[]): string {
  const known = joined.get(inbound);
  if (known?.clients.length === clients.length && clients.every((client, i) => client === known.clients[i]))
    return known.json;
  const json = `"${join(inbound, clients)}"`;
  joined.set(inbound, { clients, json });
  return json;
}

/** Escaped like the texts of the clients. */
function join({ protocol, config }: Inbound, clients: readonly Client[]): string {
  const { clients: _clients, fallbacks, ...settings } = config.settings;
  const whole = fallbacks === null || fallbacks === undefined ? settings : { ...settings, fallbacks };
  const rest = JSON.stringify(whole, null, 2);
  if (!hasClients(protocol)) return escaped(rest);
  const list =
    clients.length === 0
      ? '[]'
      : `${escaped('[\n    ')}${clients.map(clientText).join(escaped(',\n    '))}${escaped('\n  ]')}`;
  const head = `${escaped('{\n  "clients": ')}${list}`;
  return rest === '{}' ? `${head}${escaped('\n}')}` : `${head}${escaped(`,${rest.slice(1)}`)}`;
}

function streamText({ protocol, config }: Inbound): string {
  const stream = completeStream(protocol, config.stream);
  return stream === null ? '' : JSON.stringify(stream);
}
