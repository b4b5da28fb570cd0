import type { PanelEvent } from '../../events/catalog.js';
import { ClientDepleted, ClientExpiryStarted } from '../../events/client/client.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { OutboundHistoryImported } from '../../events/import.js';
import { InboundDepleted } from '../../events/inbound/inbound.js';
import type { Caused } from '../../events/log/event.js';
import { holdOnMeasurements } from '../../events/personal-data/hold-document.js';
import { type Counter, sumOf } from '../../events/traffic/counters.js';
import {
  InboundCountersReleased,
  MeasurementsRolledUp,
  OutboundTrafficReset,
  TrafficRecorded,
  type TrafficSum,
} from '../../events/traffic/traffic.js';
import { depletionOf, renewsItself } from '../client/limits.js';
import { usedTogether } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { heldRejection } from '../personal-data/personal-data.js';
import { reject } from '../rejection.js';
import type { PanelState } from '../state.js';

/** `[client number, inbound id or outbound tag; up; down]`: the growth of one counter of the core, in bytes. */
export type Growth<K = number> = readonly [K, number, number];

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];

export type TrafficCommand =
  | Command<
      'RecordTraffic',
      {
        readonly run: string;
        /** Each number once, including clients and inbounds that were deleted since. */
        readonly clients: readonly Growth[];
        readonly inbounds: readonly Growth[];
        readonly outbounds: readonly Growth<string>[];
        /** Readings of counters, by tag, that belong to another inbound from now on. */
        readonly passedOn?: readonly Growth<string>[];
      }
    >
  | Command<'ResetOutboundTraffic', { /** Null = of every outbound. */ readonly tag: string | null }>
  /** Bytes that a reset has removed. */
  | Command<'RestoreOutboundTraffic', { readonly tag: string; readonly up: number; readonly down: number }>
  | Command<'RecordRollUp', RollUp>;

export const traffic: Decider<TrafficCommand> = {
  RecordTraffic({ run, clients, inbounds, outbounds, passedOn = [] }, state, { now }) {
    const sum: TrafficSum = {
      run,
      // A number that was never assigned does not belong to this log.
      clients: known(clients, state.lastClient),
      inbounds: known(inbounds, state.lastInbound),
      outbounds: outbounds.map(([tag, up, down]) => [tag, up, down]),
    };
    const counters = passedOn.map(([tag, up, down]): [string, number, number] => [tag, up, down]);
    const passed = counters.length > 0 ? [InboundCountersReleased({ run, counters })] : [];
    if (sum.clients.length + sum.inbounds.length + sum.outbounds.length === 0) return passed;
    const effects = trafficEffects(state, sum.clients, sum.inbounds, now);
    return [TrafficRecorded(sum), ...effects.map((event): Caused<PanelEvent> => ({ ...event, cause: 0 })), ...passed];
  },

  ResetOutboundTraffic({ tag }, state) {
    if (tag !== null) {
      const used = state.counters.outbounds.get(tag);
      return used ? [OutboundTrafficReset({ tag, ...used })] : reject('OUTBOUND_TAG_UNKNOWN', { tag });
    }
    return [...state.counters.outbounds].map(([name, used]) => OutboundTrafficReset({ tag: name, ...used }));
  },

  RestoreOutboundTraffic: ({ tag, up, down }) => (up + down > 0 ? [OutboundHistoryImported({ tag, up, down })] : []),

  RecordRollUp(data, { holds }) {
    const hold = holdOnMeasurements(holds, data.firstAt, data.lastAt);
    return hold ? heldRejection(hold) : [MeasurementsRolledUp(data)];
  },
};

function known(growths: readonly Growth[], last: number): [number, number, number][] {
  const own: [number, number, number][] = [];
  // Every poll has thousands.
  for (const [number, up, down] of growths) if (number > 0 && number <= last) own.push([number, up, down]);
  return own;
}

/** `[client number or inbound id, up, down]`: bytes that are about to be added to counters, each number once. */
type Grown = Iterable<readonly [number, number, number, ...unknown[]]>;

/**
 * What follows when counters grow, wherever the bytes were carried: first uses that start terms, and caps and expiries that
 * are reached. The cap of a client is compared with what all its siblings used, and the growth of one is that of all.
 */
export function trafficEffects(state: PanelState, clients: Grown, inbounds: Grown, now: number): PanelEvent[] {
  const events: PanelEvent[] = [];
  // Siblings have one list, the same for each of them.
  const shared = new Map<readonly ClientNumber[], Counter>();
  for (const [number, up, down] of clients) {
    const client = state.clients.get(number as ClientNumber);
    if (!client) continue;
    const siblings = state.byEmail.siblings(client.number);
    if (siblings) shared.set(siblings, plus(shared.get(siblings), up, down));
    else events.push(...clientEffects(client, plus(state.counters.clients.get(number), up, down), now));
  }
  for (const [numbers, grown] of shared) {
    const siblings = numbers.flatMap((number) => state.clients.get(number) ?? []);
    const used = sumOf([usedTogether(state, siblings), grown]);
    for (const sibling of siblings) events.push(...clientEffects(sibling, used, now));
  }
  for (const [id, up, down] of inbounds) events.push(...inboundEffects(state, id as InboundId, up, down, now));
  return events;
}

const plus = (counter: Counter | undefined, up: number, down: number): Counter => ({
  up: (counter?.up ?? 0) + up,
  down: (counter?.down ?? 0) + down,
});

const none: readonly never[] = [];

/** The start of a term by its first use, and a cap or an expiry that is reached. */
function clientEffects(client: Client, used: Counter, now: number): readonly PanelEvent[] {
  const { number, spec } = client;
  const isSettled = client.depletion !== null || depletionOf(spec.capBytes, spec.expiresAt, used, now) === null;
  // True of nearly every client of a poll.
  if (isSettled && spec.expiresAt >= 0) return none;
  const started = spec.expiresAt < 0 ? now - spec.expiresAt : null;
  const current: Client = started === null ? client : { ...client, spec: { ...spec, expiresAt: started } };
  const { capBytes, expiresAt } = current.spec;
  // A term that is renewed ends only until the next poll.
  const end = renewsItself(current) ? 0 : expiresAt;
  const depletion = client.depletion ? null : depletionOf(capBytes, end, used, now);
  return [
    ...(started === null ? [] : [ClientExpiryStarted({ client: number, expiresAt: started })]),
    ...(depletion ? [ClientDepleted({ client: number, depletion })] : []),
  ];
}

function inboundEffects(state: PanelState, id: InboundId, up: number, down: number, now: number): PanelEvent[] {
  const inbound = state.inbounds.get(id);
  if (!inbound || inbound.depletion) return [];
  const used = plus(state.counters.inbounds.get(id), up, down);
  const depletion = depletionOf(inbound.capBytes, inbound.expiresAt, used, now);
  return depletion ? [InboundDepleted({ inbound: id, depletion })] : [];
}
