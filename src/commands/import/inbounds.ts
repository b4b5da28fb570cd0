import type { NodeId, UserId } from '../../events/ids.js';
import { InboundId } from '../../events/ids.js';
import { type Depletion, type InboundConfig, type InboundSpec, Protocol } from '../../events/inbound/inbound.js';
import { isObject } from '../../lib/json.js';
import { MAX_TIME_MS } from '../../lib/time/calendar.js';
import { message, type Text } from '../../messages/message.js';
import { hasClients } from '../client/credentials.js';
import { depletionOf } from '../client/limits.js';
import { configProblem, freeTag, portProblem, tagProblem } from '../inbound/inbound-rules.js';
import type { XuiInbound } from '../ports/xui-panel.js';
import type { PanelState } from '../state.js';
import { type JsonRecord, readClient, readJson, Unreadable, wellFormed } from './json.js';
import type { Entry } from './names.js';
import { disabledThere, type Notes, shown } from './report.js';

const PERIODS = ['never', 'hourly', 'daily', 'weekly', 'monthly'] as const;

/** A converted inbound, with the clients from its settings. */
export interface ImportedInbound {
  readonly row: XuiInbound;
  readonly id: InboundId;
  readonly owner: UserId;
  readonly node: NodeId | null;
  /** It was imported without a change. */
  readonly whole: boolean;
  readonly enabled: boolean;
  readonly spec: InboundSpec;
  readonly config: InboundConfig;
  readonly entries: readonly Entry[];
}

export const inboundItem = ({ id, remark }: Pick<XuiInbound, 'id' | 'remark'>): Text =>
  remark === '' ? message('import.inbound', { id }) : message('import.inboundNamed', { id, remark: shown(remark) });

const placeItem = (inbound: number, place: number): Text => message('import.clientPlace', { inbound, place });

/** Whether its own cap or expiry is reached. An inbound on a node is checked there. */
export function depletionOfInbound(row: XuiInbound, now: number): Depletion | null {
  const { total, expiryTime } = row;
  return row.nodeId === 0
    ? depletionOf(Math.max(0, total), expiryTime <= MAX_TIME_MS ? expiryTime : 0, row, now)
    : null;
}

/** The context for the checks of an inbound: the inbounds before it, and the imported users and nodes. */
interface InboundContext {
  readonly state: PanelState;
  readonly owner: (user: number) => UserId;
  readonly notes: Notes;
  readonly now: number;
}

/** Null for an inbound that cannot be imported. */
export function importInbound(row: XuiInbound, surroundings: InboundContext): ImportedInbound | null {
  const { state, owner, notes, now } = surroundings;
  const item = inboundItem(row);
  const settings = readJson(row.settings);
  const clients = settings instanceof Unreadable || !Array.isArray(settings['clients']) ? [] : settings['clients'];
  notes.rows('clients', clients.length);
  notes.found({ clients: clients.length, inbounds: 1, inboundUp: row.up, inboundDown: row.down });
  const protocol = Protocol.safeParse(row.protocol.toLowerCase());
  const id = InboundId.safeParse(row.id);
  const why = !protocol.success
    ? message('import.protocolUnknown', { protocol: shown(row.protocol) })
    : !id.success || state.inbounds.has(id.data)
      ? message('import.numberInvalid')
      : null;
  if (why !== null || !protocol.success || !id.success) {
    notes.dropped('inbounds', item, why ?? message('import.numberInvalid'));
    for (const place of clients.keys())
      notes.dropped('clients', placeItem(row.id, place + 1), message('import.inboundSkipped'));
    notes.lost({ clients: clients.length, inbounds: 1, inboundUp: row.up, inboundDown: row.down });
    return null;
  }
  const { spec, config, node, problems } = readSpec(row, protocol.data, settings, surroundings);
  // 3x-ui disables inbounds that are used up. Here `depleted` is a separate state, which ends with a reset or a later expiry.
  const depletion = depletionOfInbound(row, now);
  const wanted = row.enable || depletion !== null;
  if (!row.enable && depletion !== null) notes.noted('inbounds', item, disabledThere(depletion));
  const [problem] = problems;
  if (wanted && problem) notes.changed('inbounds', item, message('import.switchedOff', { why: problem }));
  return {
    row,
    id: id.data,
    owner: owner(row.userId),
    node,
    whole: problems.length === 0,
    enabled: wanted && problems.length === 0,
    spec,
    config,
    entries: readEntries(row, protocol.data, clients, notes),
  };
}

function readSpec(
  row: XuiInbound,
  protocol: Protocol,
  settings: JsonRecord | Unreadable,
  { state, notes }: InboundContext,
): Pick<ImportedInbound, 'spec' | 'config' | 'node'> & { readonly problems: readonly Text[] } {
  const item = inboundItem(row);
  const problems: Text[] = [];
  const part = (name: string, value: JsonRecord | Unreadable): JsonRecord => {
    if (!(value instanceof Unreadable)) return value;
    problems.push(message('import.partUnreadable', { part: name, why: value.why }));
    return {};
  };
  const { clients: _clients, ...own } = part('settings', settings);
  const stream = part('streamSettings', readJson(row.streamSettings));
  const config: InboundConfig = {
    settings: own as JsonRecord,
    stream: Object.keys(stream).length === 0 ? null : stream,
  } as InboundConfig;
  const read = readJson(row.sniffing);
  if (read instanceof Unreadable) notes.changed('inbounds', item, message('import.noSniffing', { why: read.why }));
  const sniffing = read instanceof Unreadable ? {} : read;
  const node = nodeOf(row, state);
  if (node === undefined) problems.push(message('import.nodeMissing', { node: row.nodeId }));
  const port = row.port >= 0 && row.port <= 65_535 ? row.port : 0;
  if (port !== row.port) problems.push(message('import.portInvalid'));
  const spec = {
    remark: wellFormed(row.remark),
    listen: wellFormed(row.listen.trim()),
    port,
    protocol,
    capBytes: limit(row.total, Number.MAX_SAFE_INTEGER, () =>
      notes.changed('inbounds', item, message('import.capNegative')),
    ),
    expiresAt: limit(row.expiryTime, MAX_TIME_MS, () =>
      notes.changed('inbounds', item, message('import.expiryInvalid')),
    ),
    trafficReset: periodOf(row, notes),
    sniffing: { ...sniffing, enabled: sniffing['enabled'] === true } as InboundSpec['sniffing'],
  };
  const whole = { ...spec, tag: tagOf(row, spec, config, state, notes) };
  const rejection =
    configProblem(whole, config) ?? portProblem(state, { ownPorts: [] }, whole, config, { node: node ?? null });
  if (rejection) problems.push(rejection.text);
  if (protocol === 'wireguard' && rejection === null) problems.push(...keyProblems(own));
  return { spec: whole, config, node: node ?? null, problems };
}

/** The core would not start with an invalid key. */
function keyProblems(settings: JsonRecord): readonly Text[] {
  const peers = Array.isArray(settings['peers']) ? settings['peers'].filter(isObject) : [];
  const bad = !isKey(settings['secretKey']) || peers.some((peer) => !isKey(peer['publicKey']));
  return bad ? [message('import.wireguardKey')] : [];
}

const isKey = (value: unknown): boolean =>
  typeof value === 'string' && (/^[0-9a-f]{64}$/i.test(value) || /^[\w+/-]{43}=?$/.test(value));

/** Undefined when its node was not imported. */
function nodeOf({ nodeId }: XuiInbound, { nodes }: PanelState): NodeId | null | undefined {
  if (nodeId === 0) return null;
  return [...nodes.keys()].find((known) => known === nodeId);
}

function limit(value: number, most: number, otherwise: () => void): number {
  if (value >= 0 && value <= most) return value;
  otherwise();
  return 0;
}

function periodOf(row: XuiInbound, notes: Notes): InboundSpec['trafficReset'] {
  const known = PERIODS.find((period) => period === row.trafficReset);
  if (known === undefined && row.trafficReset !== '')
    notes.changed('inbounds', inboundItem(row), message('import.resetPeriodUnknown'));
  return known ?? 'never';
}

/** The tag of the database if it is valid, because routing rules refer to it; otherwise a free one. */
function tagOf(
  row: XuiInbound,
  spec: Omit<InboundSpec, 'tag'>,
  config: InboundConfig,
  state: PanelState,
  notes: Notes,
): string {
  const why = row.tag === '' ? message('import.tagMissing') : tagProblem(state, row.tag, undefined, row.tag)?.text;
  if (why === undefined) return row.tag;
  const tag = freeTag(state, spec, config);
  notes.changed('inbounds', inboundItem(row), message('import.tagChanged', { tag, why }));
  return tag;
}

function readEntries(row: XuiInbound, protocol: Protocol, clients: readonly unknown[], notes: Notes): Entry[] {
  const why = hasClients(protocol) ? null : message('import.noClients', { protocol });
  return clients.flatMap((client, index) => {
    const wire = readClient(client);
    if (why !== null || wire instanceof Unreadable) {
      const reason = why ?? message('import.clientUnreadable', { why: (wire as Unreadable).why });
      notes.dropped('clients', placeItem(row.id, index + 1), reason);
      notes.lost({ clients: 1 });
      return [];
    }
    const { email, subId } = wire;
    return [
      {
        inbound: row.id,
        place: index + 1,
        wire,
        email: typeof email === 'string' ? email : '',
        subId: typeof subId === 'string' ? subId : typeof subId === 'number' ? String(subId) : '',
      },
    ];
  });
}
