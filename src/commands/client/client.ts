import type { PanelEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import { ClientIpsCleared, ClientIpsSeen } from '../../events/client/client-ips.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { zero } from '../../events/traffic/counters.js';
import type { Command, Decider } from '../command.js';
import { inboundDepletionEvents } from '../inbound/inbound.js';
import { eraseDue } from '../personal-data/due-keys.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { unblocked } from '../traffic/ip-limit.js';
import { addClients, changeClient, clientDepletionEvents, findByKey, type Target } from './client-rules.js';
import { type ClientDraft, hasClients } from './credentials.js';
import { type FormerOwner, ownersKept } from './former-owners.js';
import { clientDepletion } from './limits.js';
import { adjustments } from './many.js';
import { clientsDue } from './renewal.js';
import { resetClient, resetClients } from './reset.js';
import { clientIn, clientsNamed, deletions, existingClients, usedBy } from './siblings.js';

/** A client of an inbound, by what names it in the panel API's paths or by its email. */
export type ClientName = { readonly key: string } | { readonly email: string };

export type ClientCommand =
  | Command<
      'AddClients',
      {
        readonly inbound: InboundId;
        readonly clients: readonly ClientDraft[];
        /** The owners of clients that come back; by default, and for other clients, the caller. */
        readonly owners?: readonly FormerOwner[];
      }
    >
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
  AddClients({ inbound, clients, owners = [] }, state, { owner }) {
    const target = targetOf(state, inbound);
    if (target instanceof Rejection) return target;
    if (clients.length === 0) return reject('NO_CLIENTS');
    const added = addClients(state, target, clients);
    return added instanceof Rejection ? added : [...added, ...ownersKept(added, owners, state, owner)];
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
    return resetClients(state, existingClients(state, numbers), now);
  },

  AdjustClientTraffic({ email, up, down }, state, { now }) {
    return adjustments(state, email, { up, down }, now);
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
    for (const current of clientsDue(state, now)) add(clientDepletionEvents(current, usedBy(state, current), now));
    for (const current of state.inbounds.values()) {
      if (!current.depletion && !isOver(current)) continue;
      add(inboundDepletionEvents(current, state.counters.inbounds.get(current.id) ?? zero, now));
    }
    return events;
  },

  EraseDeleted(_, state, { now }) {
    return eraseDue(state, now - state.settings.eraseDeletedAfterDays * 86_400_000);
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
