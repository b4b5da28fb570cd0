import { type Access, accessOf, NO_QUOTAS } from '../../events/access/access-of.js';
import type { PanelEvent } from '../../events/catalog.js';
import { message, type Text } from '../../messages/message.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { capOf } from './access-rules.js';

const DAY_MS = 86_400_000;

/** Why a decision exceeds a quota of the admin, or null. What was above a quota before and does not grow is allowed. */
export function quotaProblem(
  access: Access,
  state: PanelState,
  events: readonly PanelEvent[],
  now: number,
): Rejection | null {
  const why = givenProblem(access, state, events, now) ?? totalProblem(access, state, events);
  return why === null ? null : reject('QUOTA_EXCEEDED', { why });
}

/** The caps and expiries that the decision gives to clients. */
function givenProblem(
  { quotas: { clientBytes, totalBytes, days } }: Access,
  state: PanelState,
  events: readonly PanelEvent[],
  now: number,
): Text | null {
  for (const event of events) {
    const given = givenBy(event, state);
    if (given === null) continue;
    const { capBytes, expiresAt, renewalDays } = given;
    if (capBytes !== undefined && clientBytes > 0 && (capBytes === 0 || capBytes > clientBytes))
      return message('access.quotaCap', { most: clientBytes });
    if (capBytes === 0 && totalBytes > 0) return message('access.quotaCapNeeded');
    if (days > 0 && expiresAt !== undefined && !isWithin(expiresAt, days, now))
      return message('access.quotaDays', { days });
    // A renewal resets the counters and moves the expiry, again and again.
    if ((days > 0 || totalBytes > 0) && renewalDays !== undefined && renewalDays > 0)
      return message('access.quotaRenewal');
  }
  return null;
}

/** A negative expiry is a period that starts with the first use. */
function isWithin(expiresAt: number, days: number, now: number): boolean {
  if (expiresAt === 0) return false;
  return expiresAt > 0 ? expiresAt <= now + days * DAY_MS : -expiresAt <= days * DAY_MS;
}

interface Given {
  readonly capBytes?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly renewalDays?: number | undefined;
}

/** A smaller cap and an earlier expiry are always allowed, so they are left out. */
function givenBy(event: PanelEvent, state: PanelState): Given | null {
  if (event.type === 'ClientAdded') return event.data.spec;
  if (event.type !== 'ClientUpdated') return null;
  const { capBytes, expiresAt, renewalDays } = event.data.changes;
  const spec = state.clients.get(event.data.client)?.spec;
  return {
    renewalDays,
    capBytes: isLower(capBytes, spec?.capBytes) ? undefined : capBytes,
    expiresAt: isLower(expiresAt, spec?.expiresAt) ? undefined : expiresAt,
  };
}

/** Whether a cap or an expiry is below the present one, of which 0 is the highest. */
const isLower = (next: number | undefined, present: number | undefined): boolean =>
  next !== undefined && next > 0 && present !== undefined && (present === 0 || next < present);

/** The number of clients of the admin, and the sum of their caps. */
function totalProblem({ admin, quotas }: Access, state: PanelState, events: readonly PanelEvent[]): Text | null {
  if (quotas.clients === 0 && quotas.totalBytes === 0) return null;
  const before = new Map<number, number>();
  for (const [client, owner] of state.access.owners) if (owner === admin) before.set(client, capOf(state, client) ?? 0);
  const after = new Map(before);
  for (const event of events) {
    if (event.type === 'ClientAdded') after.set(event.data.client, event.data.spec.capBytes);
    else if (event.type === 'ClientDeleted') after.delete(event.data.client);
    else if (event.type === 'OwnerAssigned' && event.data.owner !== admin)
      for (const client of event.data.clients) after.delete(client);
    else if (
      event.type === 'ClientUpdated' &&
      event.data.changes.capBytes !== undefined &&
      after.has(event.data.client)
    )
      after.set(event.data.client, event.data.changes.capBytes);
  }
  if (quotas.clients > 0 && after.size > quotas.clients && after.size > before.size)
    return message('access.quotaClients', { most: quotas.clients });
  const bytes = sum(after);
  if (quotas.totalBytes > 0 && bytes > quotas.totalBytes && bytes > sum(before))
    return message('access.quotaBytes', {
      most: quotas.totalBytes,
      left: Math.max(0, quotas.totalBytes - sum(before)),
    });
  return null;
}

/** Why an admin cannot own these clients too, or null. `owner` null = no admin. */
export function handOverProblem(state: PanelState, clients: readonly number[], owner: number | null): Rejection | null {
  const { quotas } = owner === null ? { quotas: NO_QUOTAS } : accessOf(state.access, owner);
  const owned = [...state.access.owners].flatMap(([client, one]) => (one === owner ? [client] : []));
  const after = new Map([...owned, ...clients].map((client) => [client, capOf(state, client) ?? 0]));
  const exceeded = (why: Text): Rejection => reject('ACCESS_INVALID', { why });
  if (quotas.clients > 0 && after.size > quotas.clients)
    return exceeded(message('access.handOverClients', { most: quotas.clients, count: after.size }));
  const isUncapped = quotas.totalBytes > 0 && clients.some((client) => capOf(state, client) === 0);
  if (isUncapped || (quotas.totalBytes > 0 && sum(after) > quotas.totalBytes))
    return exceeded(message('access.handOverBytes', { most: quotas.totalBytes }));
  return null;
}

const sum = (caps: ReadonlyMap<number, number>): number => [...caps.values()].reduce((total, cap) => total + cap, 0);
