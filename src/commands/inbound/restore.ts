import { AdminAccessChanged } from '../../events/access/access.js';
import { TokenChanged } from '../../events/access/tokens.js';
import type { PanelEvent } from '../../events/catalog.js';
import { ClientDepleted, ClientTrafficAdjusted } from '../../events/client/client.js';
import { emailKey } from '../../events/client/client-document.js';
import type { InboundId, NodeId, TokenId, UserId } from '../../events/ids.js';
import { InboundHistoryImported } from '../../events/import.js';
import { InboundDepleted } from '../../events/inbound/inbound.js';
import type { Caused } from '../../events/log/event.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { type FormerOwner, ownersKept } from '../client/former-owners.js';
import { depletionOf } from '../client/limits.js';
import type { EmailCounter } from '../client/many.js';
import { clientsNamed } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { type InboundDraft, inbound, inboundDepletionEvents } from './inbound.js';

/** The counters of an inbound when it was deleted. */
export interface InboundUsage extends Counter {
  /** Bytes up plus down since it was created, regardless of resets. */
  readonly allTime: number;
  /** When its counters were last reset, in ms since 1970; 0 = never. */
  readonly resetAt: number;
}

/** The admins and tokens that an inbound is given to. */
export interface InboundHolders {
  readonly admins: readonly UserId[];
  readonly tokens: readonly TokenId[];
}

export type InboundRestoreCommand =
  /** Bytes that a reset has removed. `resetAt`: when the counters had been reset before, null = as now. */
  | Command<'RestoreInboundTraffic', Counter & { readonly inbound: InboundId; readonly resetAt: number | null }>
  | Command<
      'RestoreInbound',
      InboundDraft & {
        readonly owner: UserId;
        readonly node?: NodeId | undefined;
        /** Null = it was never used. */
        readonly used: InboundUsage | null;
        /** The admins and tokens that it was given to; by default none. */
        readonly givenTo?: InboundHolders;
        readonly counters: readonly EmailCounter[];
        /** The owners of its clients; by default the caller. */
        readonly owners?: readonly FormerOwner[];
      }
    >;

export const inboundRestore: Decider<InboundRestoreCommand> = {
  RestoreInboundTraffic({ inbound: id, up, down, resetAt }, state, { now }) {
    const current = state.inbounds.get(id);
    if (!current) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const used = state.counters.inbounds.get(id) ?? zero;
    const sum = { up: used.up + up, down: used.down + down };
    return [
      // The total since the creation has the bytes already.
      InboundHistoryImported({ inbound: id, up, down, allTime: 0, resetAt: resetAt ?? current.resetAt }),
      ...inboundDepletionEvents(current, sum, now).map((event) => ({ ...event, cause: 0 })),
    ];
  },

  /** Adds a deleted inbound and its clients again, in one append: with their settings and counters, under new numbers. */
  RestoreInbound({ used, givenTo, counters, owners = [], ...draft }, state, context) {
    const added = inbound.AddInbound(draft, state, context);
    if (added instanceof Rejection) return added;
    const byEmail = new Map(counters.map((counter) => [emailKey(counter.email), counter]));
    return [
      ...added,
      ...ownersKept(added, owners, state, context.owner),
      ...added.flatMap((event) => usageEvents(event, state, context.now, { used, byEmail })),
      ...(givenTo ? added.flatMap((event) => givenEvents(event, givenTo, state)) : []),
    ];
  },
};

/** The events that give an inbound of the decision to the admins and tokens which had the deleted one. */
function givenEvents(
  { type, data }: Caused<PanelEvent>,
  { admins, tokens }: InboundHolders,
  { access }: PanelState,
): readonly PanelEvent[] {
  if (type !== 'InboundAdded') return [];
  const withIt = ({ inbounds }: { readonly inbounds: readonly number[] }) => [
    ...(inbounds as readonly InboundId[]),
    data.inbound,
  ];
  return [
    ...admins.flatMap((user) => {
      const current = access.admins.get(user);
      if (!current) return [];
      const { role, quotas } = current;
      return [AdminAccessChanged({ user, role, inbounds: withIt(current), quotas })];
    }),
    ...tokens.flatMap((token) => {
      const current = access.tokens.get(token);
      if (!current) return [];
      const { name, role, admin, expiresAt, addresses } = current;
      const rest = { role, inbounds: withIt(current), admin, expiresAt, addresses: [...addresses] };
      return [TokenChanged({ token, label: { name }, ...rest })];
    }),
  ];
}

interface Usage {
  readonly used: InboundUsage | null;
  readonly byEmail: ReadonlyMap<string, EmailCounter>;
}

/** The events that give an inbound or a client of the decision its counters, and the limit that they reach. */
function usageEvents(
  { type, data }: Caused<PanelEvent>,
  state: PanelState,
  now: number,
  { used, byEmail }: Usage,
): readonly PanelEvent[] {
  if (type === 'InboundAdded') {
    if (used === null) return [];
    const depletion = depletionOf(data.spec.capBytes, data.spec.expiresAt, used, now);
    return [
      InboundHistoryImported({ inbound: data.inbound, ...used }),
      ...(depletion ? [InboundDepleted({ inbound: data.inbound, depletion })] : []),
    ];
  }
  // Another client with the email has kept the counters.
  if (type !== 'ClientAdded' || clientsNamed(state, data.identity.email).length > 0) return [];
  const { up, down } = byEmail.get(emailKey(data.identity.email)) ?? zero;
  const depletion = depletionOf(data.spec.capBytes, data.spec.expiresAt, { up, down }, now);
  return [
    ...(up + down > 0 ? [ClientTrafficAdjusted({ client: data.client, up, down, before: zero })] : []),
    ...(depletion ? [ClientDepleted({ client: data.client, depletion })] : []),
  ];
}
