import type { PanelEvent } from '../../events/catalog.js';
import { ClientDepleted, ClientTrafficAdjusted } from '../../events/client/client.js';
import { emailKey } from '../../events/client/client-document.js';
import type { NodeId, UserId } from '../../events/ids.js';
import { InboundHistoryImported } from '../../events/import.js';
import { InboundDepleted } from '../../events/inbound/inbound.js';
import type { Caused } from '../../events/log/event.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { depletionOf } from '../client/limits.js';
import type { EmailCounter } from '../client/many.js';
import { clientsNamed } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { Rejection } from '../rejection.js';
import type { PanelState } from '../state.js';
import { type InboundDraft, inbound } from './inbound.js';

/** The counters of an inbound when it was deleted. */
export interface InboundUsage extends Counter {
  /** Bytes up plus down since it was created, regardless of resets. */
  readonly allTime: number;
  /** When its counters were last reset, in ms since 1970; 0 = never. */
  readonly resetAt: number;
}

export type InboundRestoreCommand = Command<
  'RestoreInbound',
  InboundDraft & {
    readonly owner: UserId;
    readonly node?: NodeId | undefined;
    readonly used: InboundUsage;
    readonly counters: readonly EmailCounter[];
  }
>;

/** Adds a deleted inbound and its clients again, in one append: with their settings and counters, under new numbers. */
export const inboundRestore: Decider<InboundRestoreCommand> = {
  RestoreInbound({ used, counters, ...draft }, state, context) {
    const added = inbound.AddInbound(draft, state, context);
    if (added instanceof Rejection) return added;
    const byEmail = new Map(counters.map((counter) => [emailKey(counter.email), counter]));
    return [...added, ...added.flatMap((event) => usageEvents(event, state, context.now, { used, byEmail }))];
  },
};

interface Usage {
  readonly used: InboundUsage;
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
