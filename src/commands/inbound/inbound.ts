import type { PanelEvent } from '../../events/catalog.js';
import { InboundId, type NodeId, type UserId } from '../../events/ids.js';
import {
  InboundAdded,
  type InboundConfig,
  InboundDeleted,
  InboundDepleted,
  InboundDisabled,
  InboundEnabled,
  InboundReactivated,
  InboundReconfigured,
  type InboundSpec,
  InboundTrafficReset,
  InboundUpdated,
} from '../../events/inbound/inbound.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Caused } from '../../events/log/event.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { composed, keptName } from '../../lib/identifiers.js';
import { sameJson } from '../../lib/json.js';
import { addClients, syncClients } from '../client/client-rules.js';
import type { ClientDraft } from '../client/credentials.js';
import { hasClients } from '../client/credentials.js';
import { depletionChange } from '../client/limits.js';
import { deletions } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { configProblem, freeTag, machineProblem, placed, portProblem, tagProblem } from './inbound-rules.js';

/** An inbound as a caller requests it. For an empty tag a free one is chosen. */
export interface InboundDraft {
  readonly spec: InboundSpec | (Omit<InboundSpec, 'tag'> & { readonly tag: '' });
  readonly enabled: boolean;
  readonly config: InboundConfig;
  readonly clients: readonly ClientDraft[];
}

export type InboundCommand =
  | Command<
      'AddInbound',
      InboundDraft & {
        readonly owner: UserId /** The node whose core listens; absent = the core of this panel. */;
        readonly node?: NodeId | undefined;
      }
    >
  | Command<'UpdateInbound', InboundDraft & { readonly inbound: InboundId }>
  | Command<'SetInboundEnabled', { readonly inbound: InboundId; readonly enabled: boolean }>
  | Command<'DeleteInbound', { readonly inbound: InboundId }>
  | Command<'ResetInboundTraffic', { readonly inbound: InboundId }>
  | Command<'ResetAllTraffic', Record<never, never>>;

export const inbound: Decider<InboundCommand> = {
  AddInbound({ owner, node = null, spec: requested, enabled, config, clients }, state, context) {
    if (node !== null && !state.nodes.has(node)) return reject('NODE_NOT_FOUND', { node });
    const id = InboundId.parse(state.lastInbound + 1);
    const spec = {
      ...placed(requested, node, context),
      tag: composed(requested.tag) || freeTag(state, requested, config),
    };
    const problem =
      machineProblem(state, spec) ??
      configProblem(spec, config) ??
      portProblem(state, context, spec, config, { node }) ??
      tagProblem(state, spec.tag);
    if (problem) return problem;
    if (clients.length > 0 && !hasClients(spec.protocol))
      return reject('CLIENTS_NOT_SUPPORTED', { protocol: spec.protocol });
    const added = addClients(state, { id, protocol: spec.protocol, config }, clients);
    if (added instanceof Rejection) return added;
    return [InboundAdded({ inbound: id, owner, node, enabled, spec, keyVersion: 1, config }), ...added];
  },

  UpdateInbound({ inbound: id, spec: requested, enabled, config, clients }, state, context) {
    const { now } = context;
    const current = state.inbounds.get(id);
    if (!current) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const { machine = current.machine, ...rest } = requested;
    const spec = {
      ...placed({ ...rest, machine }, current.node, context),
      tag: requested.tag === '' ? current.tag : keptName(requested.tag, current.tag),
    };
    const problem =
      (spec.machine === current.machine ? null : machineProblem(state, spec)) ??
      configProblem(spec, config) ??
      portProblem(state, context, spec, config, current) ??
      tagProblem(state, spec.tag, id, current.tag);
    if (problem) return problem;
    if (clients.length > 0 && !hasClients(spec.protocol))
      return reject('CLIENTS_NOT_SUPPORTED', { protocol: spec.protocol });
    const synced = syncClients(state, { id, protocol: spec.protocol, config }, clients, now);
    if (synced instanceof Rejection) return synced;

    const events: Caused<PanelEvent>[] = [];
    const changes = changedMembers(current, spec);
    if (Object.keys(changes).length > 0) events.push(InboundUpdated({ inbound: id, changes }));
    if (!sameJson(current.config, config)) {
      events.push(InboundReconfigured({ inbound: id, keyVersion: current.keyVersion + 1, config }));
    }
    if (enabled !== current.enabled)
      events.push(enabled ? InboundEnabled({ inbound: id }) : InboundDisabled({ inbound: id }));
    const used = state.counters.inbounds.get(id) ?? zero;
    const judged = inboundDepletionEvents({ ...current, ...spec }, used, now, enabled && !current.enabled);
    return [...events, ...judged, ...synced];
  },

  SetInboundEnabled({ inbound: id, enabled }, state, { now }) {
    const current = state.inbounds.get(id);
    if (!current) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const used = state.counters.inbounds.get(id) ?? zero;
    const judged = enabled ? inboundDepletionEvents(current, used, now, true) : [];
    if (current.enabled === enabled) return judged;
    return [enabled ? InboundEnabled({ inbound: id }) : InboundDisabled({ inbound: id }), ...judged];
  },

  DeleteInbound({ inbound: id }, state) {
    if (!state.inbounds.has(id)) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const clients = [...(state.clientsOf.get(id) ?? [])].flatMap((number) => state.clients.get(number) ?? []);
    return [...deletions(state, clients), InboundDeleted({ inbound: id })];
  },

  ResetInboundTraffic({ inbound: id }, state, { now }) {
    const current = state.inbounds.get(id);
    if (!current) return reject('INBOUND_NOT_FOUND', { inbound: id });
    return resetInbound(state, current, now);
  },

  ResetAllTraffic(_, state, { now }) {
    const events: Caused<PanelEvent>[] = [];
    for (const current of state.inbounds.values()) events.push(...resetInbound(state, current, now, events.length));
    return events;
  },
};

/** `at` is the index of the reset among the events of the decision. */
export function resetInbound(state: PanelState, current: Inbound, now: number, at = 0): Caused<PanelEvent>[] {
  const { up, down } = state.counters.inbounds.get(current.id) ?? zero;
  const reset = InboundTrafficReset({ inbound: current.id, up, down });
  const judged = current.depletion ? inboundDepletionEvents(current, zero, now) : [];
  return [reset, ...judged.map((event) => ({ ...event, cause: at }))];
}

/** The events that deplete or restore an inbound with a usage; none if nothing changes. `reevaluate`: see `depletionChange`. */
export function inboundDepletionEvents(inbound: Inbound, used: Counter, now: number, reevaluate = false): PanelEvent[] {
  const verdict = depletionChange(inbound, used, now, reevaluate);
  if (verdict === null) return [];
  if (verdict === 'restored') return [InboundReactivated({ inbound: inbound.id })];
  return [InboundDepleted({ inbound: inbound.id, depletion: verdict })];
}

function changedMembers(current: Inbound, spec: InboundSpec): Partial<InboundSpec> {
  const keys = Object.keys(spec) as (keyof InboundSpec)[];
  return Object.fromEntries(keys.filter((key) => !sameJson(current[key], spec[key])).map((key) => [key, spec[key]]));
}
