import type { NodeId, UserId } from '../../events/ids.js';
import { InboundId } from '../../events/ids.js';
import { type Depletion, type InboundConfig, type InboundSpec, Protocol } from '../../events/inbound/inbound.js';
import { isObject } from '../../lib/json.js';
import { LATEST_MS } from '../../lib/time/calendar.js';
import { hasClients } from '../client/credentials.js';
import { depletionOf } from '../client/limits.js';
import { configProblem, freeTag, portProblem, tagProblem } from '../inbound/inbound-rules.js';
import type { ForeignInbound } from '../ports/foreign-panel.js';
import type { PanelState } from '../state.js';
import { type JsonRecord, readClient, readJson, Unreadable, wellFormed } from './json.js';
import type { Entry } from './names.js';
import { type Notes, shown, switchedOff } from './report.js';

const PERIODS = ['never', 'hourly', 'daily', 'weekly', 'monthly'] as const;

/** An inbound as it will be here, and its clients as they stood in its settings. */
export interface ImportedInbound {
  readonly row: ForeignInbound;
  readonly id: InboundId;
  readonly owner: UserId;
  readonly node: NodeId | null;
  /** It came over as it was, and nothing had to be left out of it. */
  readonly whole: boolean;
  readonly enabled: boolean;
  readonly spec: InboundSpec;
  readonly config: InboundConfig;
  readonly entries: readonly Entry[];
}

export const inboundItem = ({ id, remark }: Pick<ForeignInbound, 'id' | 'remark'>): string =>
  `inbound ${id}${remark === '' ? '' : ` (${shown(remark)})`}`;

/** Whether its own cap or expiry is reached. What is bound to a node is judged there. */
export function depletionOfInbound(row: ForeignInbound, now: number): Depletion | null {
  const { total, expiryTime } = row;
  return row.nodeId === 0 ? depletionOf(Math.max(0, total), expiryTime <= LATEST_MS ? expiryTime : 0, row, now) : null;
}

/** What an inbound is judged by: those before it, and the accounts and nodes that are here. */
export interface Surroundings {
  readonly state: PanelState;
  readonly owner: (user: number) => UserId;
  readonly notes: Notes;
  readonly now: number;
}

/** Null for one that cannot be here at all. */
export function importInbound(row: ForeignInbound, surroundings: Surroundings): ImportedInbound | null {
  const { state, owner, notes, now } = surroundings;
  const item = inboundItem(row);
  const settings = readJson(row.settings);
  const clients = settings instanceof Unreadable || !Array.isArray(settings['clients']) ? [] : settings['clients'];
  notes.rows('clients', clients.length);
  notes.found({ clients: clients.length, inbounds: 1, inboundUp: row.up, inboundDown: row.down });
  const protocol = Protocol.safeParse(row.protocol.toLowerCase());
  const id = InboundId.safeParse(row.id);
  const why = !protocol.success
    ? `protocol ${JSON.stringify(shown(row.protocol))} is unknown here`
    : !id.success || state.inbounds.has(id.data)
      ? 'its number is none of an inbound, or another has it'
      : null;
  if (why !== null || !protocol.success || !id.success) {
    notes.dropped('inbounds', item, why ?? '');
    for (const place of clients.keys())
      notes.dropped('clients', `client ${place + 1} of inbound ${row.id}`, 'its inbound is left out');
    notes.lost({ clients: clients.length, inbounds: 1, inboundUp: row.up, inboundDown: row.down });
    return null;
  }
  const { spec, config, node, problems } = readSpec(row, protocol.data, settings, surroundings);
  // The panel before switched inbounds off that were used up; here that is a state of its own, which ends by itself.
  const depletion = depletionOfInbound(row, now);
  const wanted = row.enable || depletion !== null;
  if (!row.enable && depletion !== null) notes.noted('inbounds', item, switchedOff(depletion));
  if (wanted && problems.length > 0) notes.changed('inbounds', item, `it is switched off: ${problems[0]}`);
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
  row: ForeignInbound,
  protocol: Protocol,
  settings: JsonRecord | Unreadable,
  { state, notes }: Surroundings,
): Pick<ImportedInbound, 'spec' | 'config' | 'node'> & { readonly problems: readonly string[] } {
  const item = inboundItem(row);
  const problems: string[] = [];
  const part = (name: string, value: JsonRecord | Unreadable): JsonRecord => {
    if (!(value instanceof Unreadable)) return value;
    problems.push(`its ${name} ${value.why}`);
    return {};
  };
  const { clients: _clients, ...own } = part('settings', settings);
  const stream = part('streamSettings', readJson(row.streamSettings));
  const config: InboundConfig = {
    settings: own as JsonRecord,
    stream: Object.keys(stream).length === 0 ? null : stream,
  } as InboundConfig;
  const read = readJson(row.sniffing);
  if (read instanceof Unreadable) notes.changed('inbounds', item, `it does not sniff: its sniffing ${read.why}`);
  const sniffing = read instanceof Unreadable ? {} : read;
  const node = nodeOf(row, state);
  if (node === undefined) problems.push(`its node ${row.nodeId} is not here`);
  const port = row.port >= 0 && row.port <= 65_535 ? row.port : 0;
  if (port !== row.port) problems.push('its port is none');
  const spec = {
    remark: wellFormed(row.remark),
    listen: wellFormed(row.listen.trim()),
    port,
    protocol,
    capBytes: limit(row.total, Number.MAX_SAFE_INTEGER, () =>
      notes.changed('inbounds', item, 'its cap is below 0, so it has none'),
    ),
    expiresAt: limit(row.expiryTime, LATEST_MS, () =>
      notes.changed('inbounds', item, 'its expiry is no time, so it has none'),
    ),
    trafficReset: periodOf(row, notes),
    sniffing: { ...sniffing, enabled: sniffing['enabled'] === true } as InboundSpec['sniffing'],
  };
  const whole = { ...spec, tag: tagOf(row, spec, config, state, notes) };
  const rejection = configProblem(whole, config) ?? portProblem(state, [], whole, config, { node: node ?? null });
  if (rejection) problems.push(rejection.message);
  if (protocol === 'wireguard' && rejection === null) problems.push(...keyProblems(own));
  return { spec: whole, config, node: node ?? null, problems };
}

/** With such keys the core does not start, and nobody else's inbound would. */
function keyProblems(settings: JsonRecord): readonly string[] {
  const peers = Array.isArray(settings['peers']) ? settings['peers'].filter(isObject) : [];
  const bad = !isKey(settings['secretKey']) || peers.some((peer) => !isKey(peer['publicKey']));
  return bad ? ['a key of its WireGuard is none: each is 32 bytes in base64 or hex'] : [];
}

const isKey = (value: unknown): boolean =>
  typeof value === 'string' && (/^[0-9a-f]{64}$/i.test(value) || /^[\w+/-]{43}=?$/.test(value));

/** Undefined when it is bound to a node that is not here. */
function nodeOf({ nodeId }: ForeignInbound, { nodes }: PanelState): NodeId | null | undefined {
  if (nodeId === 0) return null;
  return [...nodes.keys()].find((known) => known === nodeId);
}

function limit(value: number, most: number, otherwise: () => void): number {
  if (value >= 0 && value <= most) return value;
  otherwise();
  return 0;
}

function periodOf(row: ForeignInbound, notes: Notes): InboundSpec['trafficReset'] {
  const known = PERIODS.find((period) => period === row.trafficReset);
  if (known === undefined && row.trafficReset !== '')
    notes.changed('inbounds', inboundItem(row), 'its period of traffic resets is unknown, so it has none');
  return known ?? 'never';
}

/** The tag as it was, or a free one: routing rules name it. */
function tagOf(
  row: ForeignInbound,
  spec: Omit<InboundSpec, 'tag'>,
  config: InboundConfig,
  state: PanelState,
  notes: Notes,
): string {
  const problem = row.tag === '' ? 'it has none' : tagProblem(state, row.tag, undefined, row.tag)?.message;
  if (problem === undefined) return row.tag;
  const tag = freeTag(state, spec, config);
  notes.changed('inbounds', inboundItem(row), `its tag is ${tag} here: ${problem}`);
  return tag;
}

function readEntries(row: ForeignInbound, protocol: Protocol, clients: readonly unknown[], notes: Notes): Entry[] {
  const why = hasClients(protocol) ? null : `protocol ${protocol} has no clients`;
  return clients.flatMap((client, index) => {
    const wire = readClient(client);
    if (why !== null || wire instanceof Unreadable) {
      const reason = why ?? `it ${(wire as Unreadable).why}`;
      notes.dropped('clients', `client ${index + 1} of inbound ${row.id}`, reason);
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
