import type { PanelEvent } from '../events/catalog.js';
import { ClientDepleted, ClientExpiryStarted } from '../events/client.js';
import type { Client } from '../events/client-document.js';
import { type Counter, sumOf } from '../events/counters.js';
import type { Caused } from '../events/event.js';
import type { ClientNumber, InboundId } from '../events/ids.js';
import { InboundDepleted } from '../events/inbound.js';
import { MeasurementsRolledUp, OutboundTrafficReset, TrafficRecorded, type TrafficSum } from '../events/traffic.js';
import type { Command, Decider } from './command.js';
import { clientDepletion, depletionOf } from './limits.js';
import { reject } from './rejection.js';
import { carrierNamed, usedTogether } from './siblings.js';
import type { PanelState } from './state.js';

/** What one counter of the core grew by, in bytes. `name` is an email or a tag. */
export interface Growth {
  readonly name: string;
  readonly up: number;
  readonly down: number;
}

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];

export type TrafficCommand =
  | Command<
      'RecordTraffic',
      {
        readonly run: string;
        readonly clients: readonly Growth[];
        readonly inbounds: readonly Growth[];
        readonly outbounds: readonly Growth[];
      }
    >
  | Command<'ResetOutboundTraffic', { /** Null = of every outbound. */ readonly tag: string | null }>
  | Command<'RecordRollUp', RollUp>;

export const traffic: Decider<TrafficCommand> = {
  RecordTraffic({ run, clients, inbounds, outbounds }, state, { now }) {
    const sum = {
      run,
      clients: clients.flatMap(({ name, up, down }) => {
        const client = carrierNamed(state, name);
        return client ? [[client.number, up, down] as TrafficSum['clients'][number]] : [];
      }),
      inbounds: byTag(state, inbounds),
      outbounds: outbounds.map(({ name, up, down }): [string, number, number] => [name, up, down]),
    };
    if (sum.clients.length + sum.inbounds.length + sum.outbounds.length === 0) return [];
    const effects = trafficEffects(state, sum.clients, sum.inbounds, now);
    return [TrafficRecorded(sum), ...effects.map((event): Caused<PanelEvent> => ({ ...event, cause: 0 }))];
  },

  ResetOutboundTraffic({ tag }, state) {
    if (tag !== null) {
      const used = state.counters.outbounds.get(tag);
      return used ? [OutboundTrafficReset({ tag, ...used })] : reject('OUTBOUND_TAG_UNKNOWN', { tag });
    }
    return [...state.counters.outbounds].map(([name, used]) => OutboundTrafficReset({ tag: name, ...used }));
  },

  RecordRollUp: (data) => [MeasurementsRolledUp(data)],
};

function byTag(state: PanelState, growths: readonly Growth[]): [number, number, number][] {
  if (growths.length === 0) return [];
  const ids = new Map([...state.inbounds.values()].map((inbound) => [inbound.tag, inbound.id]));
  return growths.flatMap(({ name, up, down }) => {
    const id = ids.get(name);
    return id === undefined ? [] : [[id, up, down] as [number, number, number]];
  });
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

/** A first use that starts a term, and a cap or an expiry that is reached. */
function clientEffects(client: Client, used: Counter, now: number): PanelEvent[] {
  const { number } = client;
  const started = client.terms.expiresAt < 0 ? now - client.terms.expiresAt : null;
  const current: Client = started === null ? client : { ...client, terms: { ...client.terms, expiresAt: started } };
  const depletion = client.depletion ? null : clientDepletion(current, used, now);
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
