import type { PanelEvent } from '../../events/catalog.js';
import { type ClientSpec, ClientTrafficAdjusted, ClientUpdated } from '../../events/client/client.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { readMark } from '../../lib/ownership-mark.js';
import { message } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { unblocked } from '../traffic/ip-limit.js';
import { clientDepletionEvents } from './client-rules.js';
import { specProblem } from './credentials.js';
import { resetClients } from './reset.js';
import { clientsNamed, deletions, existingClients, usageOwner, usedBy } from './siblings.js';

/** New terms of one client; absent members stay as they are. */
export interface ClientTerms {
  readonly client: ClientNumber;
  readonly enabled?: boolean | undefined;
  /** Bytes; 0 = no cap. */
  readonly capBytes?: number | undefined;
  /** Milliseconds since 1970; 0 = never, negative = a period that starts with the first use. */
  readonly expiresAt?: number | undefined;
}

/** The counters of an email, in bytes. */
export interface EmailCounter extends Counter {
  readonly email: string;
}

/** Commands for many clients at once: each is one append. Clients that no longer exist are skipped. */
export type ClientsCommand =
  | Command<'ChangeClientTerms', { readonly terms: readonly ClientTerms[] }>
  | Command<'ResetClientsTraffic', { readonly clients: readonly ClientNumber[] }>
  | Command<'AdjustClientsTraffic', { readonly counters: readonly EmailCounter[] }>
  | Command<'DeleteClients', { readonly clients: readonly ClientNumber[] }>;

export const clientsTogether: Decider<ClientsCommand> = {
  ChangeClientTerms({ terms }, state, { now }) {
    // Successive events of one type are recorded as one.
    const updates: PanelEvent[] = [];
    const effects: PanelEvent[] = [];
    for (const asked of terms) {
      const current = state.clients.get(asked.client);
      if (!current) continue;
      const changes = changesOf(current, asked);
      const spec = { ...current.spec, ...changes };
      const why = specProblem(spec);
      if (why) return reject('CREDENTIAL_INVALID', { email: current.identity.email, why });
      if (Object.keys(changes).length === 0) continue;
      updates.push(ClientUpdated({ client: current.number, changes }));
      effects.push(...effectsOf(state, current, { changes, spec }, now));
    }
    return [...updates, ...effects];
  },

  ResetClientsTraffic({ clients }, state, { now }) {
    return resetClients(state, existingClients(state, clients), now);
  },

  AdjustClientsTraffic({ counters }, state, { now }) {
    const events: Caused<PanelEvent>[] = [];
    for (const { email, up, down } of counters) {
      const adjusted = adjustments(state, email, { up, down }, now, events.length);
      if (!(adjusted instanceof Rejection)) events.push(...adjusted);
      else if (adjusted.code !== 'CLIENT_NOT_FOUND') return adjusted;
    }
    return events;
  },

  DeleteClients({ clients }, state) {
    return deletions(state, existingClients(state, new Set(clients)));
  },
};

type Changes = Partial<Pick<ClientSpec, 'enabled' | 'capBytes' | 'expiresAt'>>;

/** Assigned one by one, because spreads take as long as the rest of the decision. */
function changesOf({ spec }: Client, { enabled, capBytes, expiresAt }: ClientTerms): Changes {
  const changes: { -readonly [K in keyof Changes]: Changes[K] } = {};
  if (enabled !== undefined && enabled !== spec.enabled) changes.enabled = enabled;
  if (capBytes !== undefined && capBytes !== spec.capBytes) changes.capBytes = capBytes;
  if (expiresAt !== undefined && expiresAt !== spec.expiresAt) changes.expiresAt = expiresAt;
  return changes;
}

/** What follows from new terms. `spec`: with the changes. */
function effectsOf(
  state: PanelState,
  current: Client,
  { changes, spec }: { readonly changes: Changes; readonly spec: ClientSpec },
  now: number,
): readonly PanelEvent[] {
  const next: Client = { ...current, spec };
  // The centre of this node decides about its clients, because its log has the expiry.
  const reevaluate = changes.enabled === true || readMark('', current.identity.comment).number !== 0;
  return [
    ...(changes.enabled === true ? unblocked(state, current, 'changed') : []),
    ...clientDepletionEvents(next, usedBy(state, current), now, reevaluate),
  ];
}

/**
 * Sets the counters of an email. `seenAt` is the index of the first adjustment among the events of the decision.
 */
export function adjustments(
  state: PanelState,
  email: string,
  after: Counter,
  now: number,
  seenAt = 0,
): readonly Caused<PanelEvent>[] | Rejection {
  const siblings = clientsNamed(state, email);
  const owner = usageOwner(state, siblings);
  if (!owner) return reject('CLIENT_NOT_FOUND', { client: email });
  const { up, down } = after;
  if (![up, down, up + down].every((bytes) => Number.isSafeInteger(bytes) && bytes >= 0)) {
    return reject('VALUE_OUT_OF_RANGE', {
      field: message('client.uploadAndDownload'),
      why: message('client.countersInBytes'),
    });
  }
  // One of them gets all bytes, so that the sum is the requested one.
  const adjusted = [owner, ...siblings.filter((sibling) => sibling !== owner)].flatMap(({ number }) => {
    const before = state.counters.clients.get(number) ?? zero;
    if (number === owner.number) return [ClientTrafficAdjusted({ client: number, up, down, before })];
    return before.up + before.down > 0 ? [ClientTrafficAdjusted({ client: number, ...zero, before })] : [];
  });
  const effects = siblings.flatMap((sibling) => clientDepletionEvents(sibling, { up, down }, now));
  return [...adjusted, ...effects.map((event) => ({ ...event, cause: seenAt }))];
}
