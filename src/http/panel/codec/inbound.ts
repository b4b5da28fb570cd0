import { type ClientDraft, hasClients } from '../../../commands/client/credentials.js';
import type { InboundDraft } from '../../../commands/inbound/inbound.js';
import { type Rejection, reject } from '../../../commands/rejection.js';
import { type Client, emailKey } from '../../../events/client/client-document.js';
import { type InboundConfig, type InboundSpec, Protocol } from '../../../events/inbound/inbound.js';
import { type Inbound, serves } from '../../../events/inbound/inbound-document.js';
import { textOf } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import type { WireInbound } from '../contract/schemas/inbound.js';
import type { JsonRecord } from '../contract/schemas/json-text.js';
import { clientDraft, keptDraft } from './client.js';

/** An inbound and its clients before an update. */
export interface StoredInbound {
  readonly inbound: Inbound;
  readonly clients: readonly Client[];
}

/** Parses a wire inbound. Missing members are taken from `current`, or from the defaults of a new inbound. */
export function inboundDraft(wire: WireInbound, current?: StoredInbound): InboundDraft | Rejection {
  const before = current?.inbound;
  const asked = wire.protocol ?? before?.protocol ?? '';
  const protocol = Protocol.safeParse(asked.toLowerCase());
  if (!protocol.success)
    return reject('CONFIG_INVALID', { why: message('inbound.protocolUnknown', { protocol: asked.slice(0, 40) }) });
  const machine = wire.machine || before?.machine;
  return {
    spec: {
      remark: wire.remark ?? before?.remark ?? '',
      listen: wire.listen ?? before?.listen ?? '',
      port: wire.port ?? before?.port ?? 0,
      protocol: protocol.data,
      tag: wire.tag || (before?.tag ?? ''),
      capBytes: wire.total ?? before?.capBytes ?? 0,
      expiresAt: wire.expiryTime ?? before?.expiresAt ?? 0,
      trafficReset: wire.trafficReset ?? before?.trafficReset ?? 'never',
      sniffing: wire.sniffing ? completeSniffing(wire.sniffing) : (before?.sniffing ?? completeSniffing({})),
      ...(machine === undefined ? {} : { machine }),
    },
    enabled: choiceOf(wire.enable, before),
    config: configOf(wire, protocol.data, before),
    clients: draftsOf(wire, protocol.data, current?.clients ?? []),
  };
}

/**
 * The value that an admin chose for `enable`. A caller that sends back what it read changes nothing: for an inbound that
 * reached its cap it read `false`, although no admin disabled it.
 */
function choiceOf(enable: boolean | undefined, before: Inbound | undefined): boolean {
  if (before && (enable === undefined || enable === serves(before))) return before.enabled;
  return enable ?? true;
}

function configOf(
  { settings, streamSettings }: WireInbound,
  protocol: Protocol,
  before: Inbound | undefined,
): InboundConfig {
  return {
    settings: settings ? withoutClients(settings) : (before?.config.settings ?? {}),
    stream: streamSettings ? completeStream(protocol, streamSettings) : (before?.config.stream ?? null),
  };
}

/** Clients of the API require `network` and `security`. Missing settings become null. */
export function completeStream(protocol: Protocol, stream: InboundConfig['stream']): InboundConfig['stream'] {
  if (stream === null || Object.keys(stream).length === 0) return null;
  const network = protocol === 'hysteria' || protocol === 'hysteria2' ? 'hysteria' : 'tcp';
  return { ...stream, network: stream['network'] ?? network, security: stream['security'] ?? 'none' };
}

/** The same for `enabled`. */
export function completeSniffing(sniffing: InboundSpec['sniffing']): InboundSpec['sniffing'] {
  return typeof sniffing['enabled'] === 'boolean' ? sniffing : { ...sniffing, enabled: false };
}

function withoutClients(settings: NonNullable<WireInbound['settings']>): JsonRecord {
  const { clients: _clients, ...rest } = settings;
  return rest as JsonRecord;
}

/** Settings without a `clients` member leave the clients unchanged. */
function draftsOf({ settings }: WireInbound, protocol: Protocol, current: readonly Client[]): readonly ClientDraft[] {
  const wire = settings?.clients;
  if (!wire) return hasClients(protocol) ? current.map(keptDraft) : [];
  const byEmail = new Map(current.map((client) => [emailKey(client.identity.email), client]));
  return wire.map((client) => clientDraft(client, protocol, byEmail.get(emailKey(client.email ?? ''))));
}

/** Vision needs raw TCP with TLS or REALITY. */
export function supportsVision({ protocol, config: { stream } }: Inbound): boolean {
  const network = textOf(stream?.['network']) || 'tcp';
  const security = textOf(stream?.['security']) || 'none';
  return protocol === 'vless' && (network === 'tcp' || network === 'raw') && security !== 'none';
}
