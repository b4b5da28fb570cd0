import { hasClients } from '../../commands/credentials.js';
import type { Client } from '../../events/client-document.js';
import type { Inbound } from '../../events/inbound-document.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { InboundReply } from '../contract/schemas/inbound.js';
import { clientText } from './client.js';
import { clientTraffic } from './client-traffic.js';
import { soundSniffing, soundStream } from './inbound.js';

/** An inbound with its clients and all counters, as the panel answers it. */
export function wireInbound(read: ReadModels, inbound: Inbound): InboundReply {
  const { up, down } = read.inboundCounter(inbound);
  const clients = read.clientsOf(inbound.id);
  return {
    id: inbound.id,
    userId: inbound.owner,
    up,
    down,
    total: inbound.capBytes,
    allTime: Math.max(read.inboundAllTime(inbound), up + down),
    remark: inbound.remark,
    enable: inbound.enabled,
    expiryTime: inbound.expiresAt,
    trafficReset: inbound.trafficReset,
    lastTrafficResetTime: inbound.resetAt,
    clientStats: clients.map((client) => clientTraffic(read, client)),
    listen: inbound.listen,
    port: inbound.port,
    protocol: inbound.protocol,
    settings: settingsText(inbound, clients),
    streamSettings: streamText(inbound),
    tag: inbound.tag,
    sniffing: JSON.stringify(soundSniffing(inbound.sniffing)),
  };
}

interface Joined {
  readonly clients: readonly Client[];
  readonly text: string;
}
/** The last text of each inbound, and the clients that are in it. */
const joined = new WeakMap<Inbound, Joined>();

/**
 * Settings with their clients, joined from the texts of these: ten thousand of them are not serialised anew for each
 * reader, nor when one of them changes.
 */
export function settingsText(inbound: Inbound, clients: readonly Client[]): string {
  const known = joined.get(inbound);
  if (known?.clients.length === clients.length && clients.every((client, i) => client === known.clients[i]))
    return known.text;
  const text = join(inbound, clients);
  joined.set(inbound, { clients, text });
  return text;
}

function join({ protocol, config }: Inbound, clients: readonly Client[]): string {
  const { clients: _clients, fallbacks, ...settings } = config.settings;
  const rest = JSON.stringify(
    fallbacks === null || fallbacks === undefined ? settings : { ...settings, fallbacks },
    null,
    2,
  );
  if (!hasClients(protocol)) return rest;
  const list = clients.length === 0 ? '[]' : `[\n    ${clients.map(clientText).join(',\n    ')}\n  ]`;
  return rest === '{}' ? `{\n  "clients": ${list}\n}` : `{\n  "clients": ${list},${rest.slice(1)}`;
}

function streamText({ protocol, config }: Inbound): string {
  const stream = soundStream(protocol, config.stream);
  return stream === null ? '' : JSON.stringify(stream);
}
