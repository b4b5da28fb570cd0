import type { InboundDraft } from '../../../commands/inbound/inbound.js';
import { type Rejection, reject } from '../../../commands/rejection.js';
import type { Client } from '../../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../../events/ids.js';
import { type Inbound, serves } from '../../../events/inbound/inbound-document.js';
import { textOf } from '../../../lib/json.js';
import type { KeyedDigest } from '../../../lib/secrets/keyed-digest.js';
import type { Text } from '../../../messages/message.js';
import { refusedHere } from '../../../projections/core/refused-here.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { InboundForm, InboundSummary } from '../contract/inbounds/form.js';
import { WireClient } from '../contract/schemas/client.js';
import { clientDraft } from './client.js';
import { documentOf } from './core-inbound.js';
import { completeSniffing, completeStream } from './inbound.js';
import { machineOf } from './inbound-wire.js';
import { linksForClient } from './links.js';

/** An inbound in a list, without its clients. `counts`: how many they are, and how many of them are connected. */
export function inboundSummary(
  read: ReadModels,
  inbound: Inbound,
  counts: { readonly clients: number; readonly online: number },
  say: (text: Text) => string,
): InboundSummary {
  const { up, down } = read.usage.inbound(inbound);
  const stream = completeStream(inbound.protocol, inbound.config.stream);
  const [refused] = refusedHere(new Map([[inbound.id, inbound]]), read.records.core()).map(({ reason }) => reason);
  return {
    ...{ id: inbound.id, remark: inbound.remark, tag: inbound.tag, protocol: inbound.protocol },
    ...{ listen: inbound.listen, port: inbound.port },
    ...{ network: textOf(stream?.['network']), security: textOf(stream?.['security']) },
    ...{ enable: serves(inbound), enabled: inbound.enabled, closedBy: inbound.depletion?.reason ?? '' },
    ...{ up, down, total: inbound.capBytes, allTime: Math.max(read.usage.inboundAllTime(inbound), up + down) },
    ...{ expiryTime: inbound.expiresAt, trafficReset: inbound.trafficReset },
    ...{ clients: counts.clients, online: counts.online, nodeId: inbound.node ?? 0 },
    ...machineOf(read, inbound),
    ...(refused === undefined ? {} : { refused: say(refused) }),
  };
}

/** An inbound as a form edits it, with its version. */
export function inboundForm(read: ReadModels, versions: KeyedDigest, inbound: Inbound): InboundForm {
  const content = contentOf(inbound);
  return {
    ...machineOf(read, inbound),
    ...{ id: inbound.id, version: versionOf(versions, inbound.id, content), ...content },
    ...{ nodeId: inbound.node ?? 0, clients: read.clients.ofInbound(inbound.id).length },
  };
}

function contentOf(inbound: Inbound) {
  const { clients: _clients, ...settings } = inbound.config.settings;
  return {
    ...{ remark: inbound.remark, tag: inbound.tag, protocol: inbound.protocol, listen: inbound.listen },
    ...{ port: inbound.port, enable: inbound.enabled, total: inbound.capBytes, expiryTime: inbound.expiresAt },
    ...{ trafficReset: inbound.trafficReset, settings },
    streamSettings: completeStream(inbound.protocol, inbound.config.stream) ?? {},
    sniffing: completeSniffing(inbound.sniffing),
  };
}

/** A digest of the content: when a change was undone, the version is the former one, and an update does not conflict. */
function versionOf(versions: KeyedDigest, id: InboundId, content: ReturnType<typeof contentOf>): string {
  return versions.of(`inbound-${id}`, content).slice(0, 32);
}

/** The rejection of an update whose caller edited another version; null without an expectation. */
export function changedSince(
  { read, versions }: { readonly read: ReadModels; readonly versions: KeyedDigest },
  inbound: Inbound,
  expected: string,
): Rejection | null {
  if (expected === '' || expected === versionOf(versions, inbound.id, contentOf(inbound))) return null;
  return reject('INBOUND_CHANGED', { inbound: inbound.id, current: inboundForm(read, versions, inbound) });
}

/** A client for the preview of an inbound that has none. */
const SAMPLE = WireClient.parse({
  email: 'sample',
  subId: 'sample',
  id: '00000000-0000-4000-8000-000000000000',
  password: 'password',
  auth: 'password',
  enable: true,
});

/** The links of an inbound as drafted; `current` is the stored inbound, if it is not new. */
export function previewLinks(
  read: ReadModels,
  draft: InboundDraft,
  current: Inbound | undefined,
  context: { readonly host: string; readonly now: number },
): { links: string[]; sample: boolean } {
  const drafted = documentOf(draft);
  const inbound: Inbound = current
    ? { ...drafted, id: current.id, node: current.node }
    : { ...drafted, id: 0 as Inbound['id'] };
  const [first] = current ? read.clients.ofInbound(current.id) : [];
  const client = first ?? sampleClient(inbound);
  return { links: [...linksForClient(read, inbound, client, context.host, context.now)], sample: !first };
}

function sampleClient({ id, protocol }: Inbound): Client {
  return {
    ...clientDraft(SAMPLE, protocol),
    ...{ number: 0 as ClientNumber, inbound: id, keyVersion: 1 },
    ...{ depletion: null, depletedAt: 0, createdAt: 0, updatedAt: 0 },
  };
}
