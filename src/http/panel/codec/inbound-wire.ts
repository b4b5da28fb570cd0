import { hasClients } from '../../../commands/client/credentials.js';
import type { Client } from '../../../events/client/client-document.js';
import { type Inbound, serves } from '../../../events/inbound/inbound-document.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { InboundReply } from '../contract/schemas/inbound.js';
import { wireClient } from './client.js';
import { clientTraffic } from './client-traffic.js';
import { completeSniffing, completeStream } from './inbound.js';

/** An inbound with its clients and all counters, as the API returns it. */
export function wireInbound(read: ReadModels, inbound: Inbound): InboundReply {
  const clients = read.clients.ofInbound(inbound.id);
  const stats = clients.map((client) => clientTraffic(read, client));
  const [head, tail] = settingsAround(inbound, clients.length > 0);
  const list = hasClients(inbound.protocol) ? settingsOf(clients) : '';
  return inboundReply(read, inbound, stats, `${head}${list}${tail}`);
}

/** An inbound as the API returns it, with these counters and settings. */
export function inboundReply(
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
    ...machineOf(read, inbound),
  };
}

/** The machine of an inbound, for panels in a cluster. */
export function machineOf({ records }: Pick<ReadModels, 'records'>, { machine }: Inbound): { machine?: string } {
  return records.machine === null || machine === undefined ? {} : { machine };
}

const BEFORE_CLIENTS = '{\n  "clients": [\n    ';
const AFTER_CLIENTS = '\n  ]\n}';

/** Clients as elements of `settings.clients`, indented, separated by commas. Empty without clients. */
export function settingsOf(clients: readonly Client[]): string {
  if (clients.length === 0) return '';
  const text = JSON.stringify({ clients: clients.map(wireClient) }, null, 2);
  return text.slice(BEFORE_CLIENTS.length, -AFTER_CLIENTS.length);
}

/** Before each client in the settings, as the content of a JSON string. */
export const BETWEEN_CLIENTS = escaped(',\n    ');

/** Clients as `settingsOf` returns them, each after `BETWEEN_CLIENTS`, as the content of a JSON string. */
export function escapedSettingsOf(clients: readonly Client[]): string {
  let text = '';
  for (const client of clients) text += BETWEEN_CLIENTS + (flatText(client) ?? escaped(settingsOf([client])));
  return text;
}

/**
 * One client without nested members; null for others. In half of the time of `JSON.stringify` twice: lists have thousands of
 * clients.
 */
function flatText(client: Client): string | null {
  const members = wireClient(client);
  let text = '';
  for (const name in members) {
    const value = members[name];
    if (typeof value === 'object') return null;
    text += (text === '' ? '{' : ',') + labelOf(name) + (typeof value === 'string' ? quoted(value) : String(value));
  }
  return `${text}${END_OF_CLIENT}`;
}

const END_OF_CLIENT = escaped('\n    }');

/** Names of members with their indentation. The caller of the API chooses other names, so only some are kept. */
const labels = new Map<string, string>();
const MAX_LABELS = 100;

function labelOf(name: string): string {
  const known = labels.get(name);
  if (known !== undefined) return known;
  const label = escaped(`\n      ${JSON.stringify(name)}: `);
  if (labels.size < MAX_LABELS) labels.set(name, label);
  return label;
}

/** Most strings contain nothing that JSON escapes. */
const quoted = (value: string): string =>
  /^[ !#-[\]-~]*$/.test(value) ? `\\"${value}\\"` : escaped(JSON.stringify(value));

/** The settings before and after their clients, as indented JSON with the clients first. */
export function settingsAround({ protocol, config }: Inbound, withClients: boolean): readonly [string, string] {
  const { clients: _clients, fallbacks, ...settings } = config.settings;
  const whole = fallbacks === null || fallbacks === undefined ? settings : { ...settings, fallbacks };
  const rest = JSON.stringify(whole, null, 2);
  if (!hasClients(protocol)) return [rest, ''];
  const after = rest === '{}' ? '\n}' : `,${rest.slice(1)}`;
  return withClients ? [BEFORE_CLIENTS, `\n  ]${after}`] : ['{\n  "clients": []', after];
}

/** The text as the content of a JSON string. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function streamText({ protocol, config }: Inbound): string {
  const stream = completeStream(protocol, config.stream);
  return stream === null ? '' : JSON.stringify(stream);
}
