import { produce } from 'immer';
import type { RecordedEvent } from '../catalog.js';
import type { InboundId, NodeId, UserId } from '../ids.js';
import type { Depletion, InboundConfig, InboundSpec } from './inbound.js';

/** An inbound after its events, without clients and counters. */
export interface Inbound extends InboundSpec {
  readonly id: InboundId;
  readonly owner: UserId;
  /** The node whose core listens; null = the core of this panel. It cannot be changed after creation. */
  readonly node: NodeId | null;
  readonly enabled: boolean;
  readonly depletion: Depletion | null;
  /** When it was depleted; 0 when it is not. */
  readonly depletedAt: number;
  readonly keyVersion: number;
  readonly config: InboundConfig;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When its counters were last set to zero; 0 = never. */
  readonly resetAt: number;
  /** When the current period of traffic resets began, or the period was set: ms since 1970. */
  readonly periodAt: number;
}

/** Folds one event into the collection of inbounds. Events of other nouns are ignored. */
export function evolveInbounds(inbounds: Map<InboundId, Inbound>, event: RecordedEvent): void {
  switch (event.type) {
    case 'InboundAdded': {
      const { inbound, owner, node, enabled, spec, keyVersion, config } = event.data;
      const at = event.meta.at;
      const state = { depletion: null, depletedAt: 0, resetAt: 0, periodAt: at, createdAt: at, updatedAt: at };
      inbounds.set(inbound, { ...spec, id: inbound, owner, node, enabled, keyVersion, config, ...state });
      break;
    }
    case 'LeaderElected':
      // Inbounds from before the cluster run where its first leader runs, which is the panel that they were added at.
      for (const inbound of inbounds.values())
        if (inbound.node === null && inbound.machine === undefined)
          inbounds.set(inbound.id, { ...inbound, machine: event.data.member });
      break;
    case 'InboundDeleted':
      inbounds.delete(event.data.inbound);
      break;
    case 'InboundUpdated':
    case 'InboundReconfigured':
    case 'InboundEnabled':
    case 'InboundDisabled':
    case 'InboundDepleted':
    case 'InboundReactivated':
    case 'InboundTrafficReset':
    case 'InboundTrafficPeriodStarted':
    case 'InboundHistoryImported': {
      const inbound = inbounds.get(event.data.inbound);
      if (inbound) inbounds.set(inbound.id, evolveInbound(inbound, event));
      break;
    }
    default:
  }
}

function evolveInbound(inbound: Inbound, event: RecordedEvent): Inbound {
  return produce(inbound, (draft) => {
    switch (event.type) {
      case 'InboundUpdated':
        Object.assign(draft, event.data.changes, { updatedAt: event.meta.at });
        if (event.data.changes.trafficReset !== undefined) draft.periodAt = event.meta.at;
        break;
      case 'InboundReconfigured':
        Object.assign(draft, {
          keyVersion: event.data.keyVersion,
          config: event.data.config,
          updatedAt: event.meta.at,
        });
        break;
      case 'InboundEnabled':
        draft.enabled = true;
        break;
      case 'InboundDisabled':
        draft.enabled = false;
        break;
      case 'InboundDepleted':
        draft.depletion = event.data.depletion;
        draft.depletedAt = event.meta.at;
        break;
      case 'InboundReactivated':
        draft.depletion = null;
        draft.depletedAt = 0;
        break;
      case 'InboundTrafficReset':
        draft.resetAt = event.meta.at;
        break;
      case 'InboundHistoryImported':
        draft.resetAt = event.data.resetAt;
        break;
      case 'InboundTrafficPeriodStarted':
        draft.periodAt = event.data.startedAt;
        break;
      default:
    }
  });
}

/** Whether the core of this panel runs it if it serves. `machine`: its name in the cluster; null = it is alone. */
export function isLocal({ node, machine: home }: Pick<Inbound, 'node' | 'machine'>, machine: string | null): boolean {
  return node === null && (machine === null || home === machine);
}

/** Whether the core of its node, or of this panel, should run it. */
export function serves(inbound: Inbound): boolean {
  return inbound.enabled && inbound.depletion === null;
}
