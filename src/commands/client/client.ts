import type { PanelEvent } from '../../events/catalog.js';
import { ClientTrafficAdjusted, ClientTrafficReset } from '../../events/client/client.js';
import type { Client } from '../../events/client/client-document.js';
import { ClientIpsCleared, ClientIpsSeen } from '../../events/client/client-ips.js';
import { zero } from '../../events/counters.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { message } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import { erase, inboundDepletionEvents } from '../inbound/inbound.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { unblocked } from '../traffic/ip-limit.js';
import { addClients, changeClient, clientDepletionEvents, findByKey, type Target } from './client-rules.js';
import { type ClientDraft, hasClients } from './credentials.js';
import { clientDepletion } from './limits.js';
import { clientIn, clientsNamed, deletions, siblingsOf, usageOwner, usedBy } from './siblings.js';

/** A client of an inbound, by what names it in the panel API's paths or by its email. */
export type ClientName = { readonly key: string } | { readonly email: string };

export type ClientCommand =
  | Command<'AddClients', { readonly inbound: InboundId; readonly clients: readonly ClientDraft[] }>
  | Command<'UpdateClient', { readonly inbound: InboundId; readonly client: ClientName; readonly draft: ClientDraft }>
  | Command<'DeleteClient', { readonly inbound: InboundId; readonly client: ClientName }>
  | Command<'ResetClientTraffic', { readonly inbound: InboundId | null; readonly email: string }>
  | Command<'ResetAllClientTraffic', { readonly inbound: InboundId | 'all' }>
  | Command<'AdjustClientTraffic', { readonly email: string; readonly up: number; readonly down: number }>
  | Command<'DeleteDepletedClients', { readonly inbound: InboundId | 'all' }>
  | Command<'ClearClientIps', { readonly email: string }>
  | Command<
      'RecordClientIps',
      { readonly seen: readonly { readonly client: number; readonly ips: readonly { ip: string; seenAt: number }[] }[] }
    >
  | Command<'DepleteExpired', Record<never, never>>
  | Command<'EraseDeleted', Record<never, never>>;

export const client: Decider<ClientCommand> = {
  AddClients({ inbound, clients }, state) {
    const target = targetOf(state, inbound);
    if (target instanceof Rejection) return target;
    if (clients.length === 0) return reject('NO_CLIENTS');
    return addClients(state, target, clients);
  },

  UpdateClient({ inbound, client: name, draft }, state, { now }) {
    const target = targetOf(state, inbound);
    if (target instanceof Rejection) return target;
    const current = find(state, target, name);
    return current instanceof Rejection ? current : changeClient(state, target, current, draft, now);
  },

  DeleteClient({ inbound, client: name }, state) {
    const target = targetOf(state, inbound);
    if (target instanceof Rejection) return target;
    const current = find(state, target, name);
    return current instanceof Rejection ? current : deletions(state, [current]);
  },

  ResetClientTraffic({ inbound, email }, state, { now }) {
    const [current] = clientsNamed(state, email);
    if (!current) return reject('CLIENT_NOT_FOUND', { client: email });
    if (inbound !== null && !clientIn(state, inbound, email))
      return reject('CLIENT_NOT_IN_INBOUND', { client: email, inbound });
    return resetClient(state, current, now);
  },

  ResetAllClientTraffic({ inbound }, state, { now }) {
    const numbers = numbersOf(state, inbound);
    if (numbers instanceof Rejection) return numbers;
    const events: Caused<PanelEvent>[] = [];
    const done = new Set<ClientNumber>();
    for (const number of numbers) {
      const current = state.clients.get(number);
      if (current && !done.has(number))
        events.push(...resetClient(state, current, now, { seenAt: events.length, done }));
    }
    return events;
  },

  AdjustClientTraffic({ email, up, down }, state, { now }) {
    const siblings = clientsNamed(state, email);
    const carrier = usageOwner(state, siblings);
    if (!carrier) return reject('CLIENT_NOT_FOUND', { client: email });
    if (![up, down, up + down].every((bytes) => Number.isSafeInteger(bytes) && bytes >= 0)) {
      const field = message('client.uploadAndDownload');
      return reject('VALUE_OUT_OF_RANGE', { field, why: message('client.countersInBytes') });
    }
    const after = { up, down };
    // One of them gets all bytes, so that the sum is the requested one.
    const adjusted = [carrier, ...siblings.filter((sibling) => sibling !== carrier)].flatMap(({ number }) => {
      const before = state.counters.clients.get(number) ?? zero;
      if (number === carrier.number) return [ClientTrafficAdjusted({ client: number, ...after, before })];
      return before.up + before.down > 0 ? [ClientTrafficAdjusted({ client: number, ...zero, before })] : [];
    });
    const effects = siblings.flatMap((sibling) => clientDepletionEvents(sibling, after, now));
    return [...adjusted, ...effects.map((event) => ({ ...event, cause: 0 }))];
  },

  DeleteDepletedClients({ inbound }, state, { now }) {
    const numbers = numbersOf(state, inbound);
    if (numbers instanceof Rejection) return numbers;
    const gone = [...numbers].flatMap((number) => {
      const current = state.clients.get(number);
      if (!current || current.spec.renewalDays > 0) return []; // it is renewed automatically
      return current.depletion || clientDepletion(current, usedBy(state, current), now) ? [current] : [];
    });
    return deletions(state, gone);
  },

  ClearClientIps({ email }, state) {
    const siblings = clientsNamed(state, email);
    if (siblings.length === 0) return reject('CLIENT_NOT_FOUND', { client: email });
    return siblings.flatMap((sibling) => [
      ClientIpsCleared({ client: sibling.number }),
      ...unblocked(state, sibling, 'cleared'),
    ]);
  },

  RecordClientIps({ seen }, state) {
    return seen.flatMap(({ client: number, ips }) => {
      const current = state.clients.get(number as ClientNumber);
      return current && ips.length > 0 ? [ClientIpsSeen({ client: current.number, ips: [...ips] })] : [];
    });
  },

  /**
   * Records expired clients and inbounds, and those with another depletion than the recorded one. It restores none, even if
   * the clock was set back: an expiry stays in effect until an admin changes it.
   */
  DepleteExpired(_, state, { now }) {
    const events: PanelEvent[] = [];
    const add = (judged: readonly PanelEvent[]): void =>
      void events.push(...judged.filter(({ type }) => type === 'ClientDepleted' || type === 'InboundDepleted'));
    const isOver = ({ expiresAt }: { readonly expiresAt: number }): boolean => expiresAt > 0 && expiresAt <= now;
    for (const current of state.clients.values()) {
      if (!current.depletion && !isOver(current.spec)) continue;
      add(clientDepletionEvents(current, usedBy(state, current), now));
    }
    for (const current of state.inbounds.values()) {
      if (!current.depletion && !isOver(current)) continue;
      add(inboundDepletionEvents(current, state.counters.inbounds.get(current.id) ?? zero, now));
    }
    return events;
  },

  EraseDeleted(_, state, { now }) {
    return erase(state, now - state.settings.eraseDeletedAfterDays * 86_400_000);
  },
};

function targetOf(state: PanelState, id: InboundId): Target | Rejection {
  const inbound = state.inbounds.get(id);
  if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
  if (!hasClients(inbound.protocol)) return reject('CLIENTS_NOT_SUPPORTED', { protocol: inbound.protocol });
  return inbound;
}

function find(state: PanelState, target: Target, name: ClientName): Client | Rejection {
  const found = 'key' in name ? findByKey(state, target, name.key) : clientIn(state, target.id, name.email);
  if (found) return found;
  return reject('CLIENT_NOT_IN_INBOUND', { client: 'key' in name ? name.key : name.email, inbound: target.id });
}

function numbersOf(state: PanelState, inbound: InboundId | 'all'): Iterable<ClientNumber> | Rejection {
  if (inbound === 'all') return state.clients.keys();
  return state.clientsOf.get(inbound) ?? reject('INBOUND_NOT_FOUND', { inbound });
}

/**
 * Sets the counters of a client and of all its siblings to 0. `seenAt` is the index of the first reset among the events of the
 * decision. The numbers of the clients are added to `done`.
 */
export function resetClient(
  state: PanelState,
  current: Client,
  now: number,
  { seenAt: at = 0, done }: { readonly seenAt?: number; readonly done?: Set<ClientNumber> } = {},
): Caused<PanelEvent>[] {
  const events: Caused<PanelEvent>[] = [];
  for (const sibling of siblingsOf(state, current)) {
    done?.add(sibling.number);
    const { up, down } = state.counters.clients.get(sibling.number) ?? zero;
    const cause = at + events.length;
    events.push(ClientTrafficReset({ client: sibling.number, up, down }));
    const judged = sibling.depletion ? clientDepletionEvents(sibling, zero, now) : [];
    const effects = [...judged, ...unblocked(state, sibling, 'reset')];
    events.push(...effects.map((event) => ({ ...event, cause })));
  }
  return events;
}
