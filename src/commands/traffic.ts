import type { PanelEvent } from '../events/catalog.js';
import { ClientDepleted, ClientExpiryStarted } from '../events/client.js';
import { type Client, emailKey } from '../events/client-document.js';
import { zero } from '../events/counters.js';
import type { Caused } from '../events/event.js';
import type { ClientNumber, InboundId } from '../events/ids.js';
import { InboundDepleted } from '../events/inbound.js';
import { MeasurementsRolledUp, OutboundTrafficReset, TrafficRecorded, type TrafficSum } from '../events/traffic.js';
import type { Command, Decider } from './command.js';
import { clientDepletion, depletionOf } from './limits.js';
import { reject } from './rejection.js';
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
        const number = state.byEmail.get(emailKey(name));
        return number === undefined ? [] : [[number, up, down] as TrafficSum['clients'][number]];
      }),
      inbounds: byTag(state, inbounds),
      outbounds: outbounds.map(({ name, up, down }): [string, number, number] => [name, up, down]),
    };
    if (sum.clients.length + sum.inbounds.length + sum.outbounds.length === 0) return [];
    const effects: PanelEvent[] = [
      ...sum.clients.flatMap(([number, up, down]) => clientEffects(state, number as ClientNumber, up, down, now)),
      ...sum.inbounds.flatMap(([id, up, down]) => inboundEffects(state, id as InboundId, up, down, now)),
    ];
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

/** A first use that starts a term, and a cap or an expiry that is reached. */
function clientEffects(state: PanelState, number: ClientNumber, up: number, down: number, now: number): PanelEvent[] {
  const client = state.clients.get(number);
  if (!client) return [];
  const started = client.terms.expiresAt < 0 ? now - client.terms.expiresAt : null;
  const current: Client = started === null ? client : { ...client, terms: { ...client.terms, expiresAt: started } };
  const before = state.counters.clients.get(number) ?? zero;
  const depletion = client.depletion
    ? null
    : clientDepletion(current, { up: before.up + up, down: before.down + down }, now);
  return [
    ...(started === null ? [] : [ClientExpiryStarted({ client: number, expiresAt: started })]),
    ...(depletion ? [ClientDepleted({ client: number, depletion })] : []),
  ];
}

function inboundEffects(state: PanelState, id: InboundId, up: number, down: number, now: number): PanelEvent[] {
  const inbound = state.inbounds.get(id);
  if (!inbound || inbound.depletion) return [];
  const before = state.counters.inbounds.get(id) ?? zero;
  const used = { up: before.up + up, down: before.down + down };
  const depletion = depletionOf(inbound.capBytes, inbound.expiresAt, used, now);
  return depletion ? [InboundDepleted({ inbound: id, depletion })] : [];
}
