import type { PanelEvent } from '../../events/catalog.js';
import { ClientRenewed } from '../../events/client/client.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import { InboundTrafficPeriodStarted } from '../../events/inbound/inbound.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Caused } from '../../events/log/event.js';
import { zero } from '../../events/traffic/counters.js';
import { addDays, periodStart, zoneNamed } from '../../lib/time/calendar.js';
import type { Command, Decider } from '../command.js';
import { resetInbound } from '../inbound/inbound.js';
import type { PanelState } from '../state.js';
import { clientDepletionEvents } from './client-rules.js';
import { renewsItself, wasAhead } from './limits.js';
import { resetClient, resetClients } from './reset.js';
import { usedBy } from './siblings.js';

const DAY_MS = 86_400_000;

export type RenewalCommand = Command<'BeginPeriods', Record<never, never>>;

export const renewal: Decider<RenewalCommand> = {
  /** Renews expired clients, and starts traffic periods. */
  BeginPeriods(_, state, { now }) {
    const zone = zoneNamed(state.settings.timeLocation);
    const events: Caused<PanelEvent>[] = [];
    const add = (more: readonly Caused<PanelEvent>[]): void => {
      const first = events.length;
      events.push(...more.map((event) => ({ ...event, ...(event.cause === undefined ? {} : { cause: first }) })));
    };
    // The counters of siblings are reset once.
    const done = new Set<ClientNumber>();
    for (const inbound of state.inbounds.values()) add(periodOf(state, inbound, now, zone, done));
    for (const client of clientsDue(state, now)) add(renewalOf(state, client, now, zone, done));
    return events;
  },
};

/** Several missed periods are recorded as one, because the counters are reset only once. */
function periodOf(
  state: PanelState,
  inbound: Inbound,
  now: number,
  zone: string,
  done: Set<ClientNumber>,
): Caused<PanelEvent>[] {
  const { trafficReset: period } = inbound;
  if (period === 'never') return [];
  const start = periodStart(now, period, zone);
  const ahead = wasAhead(inbound.periodAt, now);
  if (start <= inbound.periodAt && !ahead) return [];
  const began = InboundTrafficPeriodStarted({ inbound: inbound.id, period, startedAt: start });
  // The counters were reset when the clock was ahead.
  if (ahead) return [began];
  const { up, down } = state.counters.inbounds.get(inbound.id) ?? zero;
  const own = up + down > 0 || inbound.depletion ? resetInbound(state, inbound, now) : [];
  const used = [...(state.clientsOf.get(inbound.id) ?? [])].flatMap((number) => {
    const client = state.clients.get(number);
    return client && hasUsed(state, client) ? [client] : [];
  });
  return [began, ...[...own, ...resetClients(state, used, now, { done })].map((event) => ({ ...event, cause: 0 }))];
}

/** Renews an expired client and resets its counters. */
function renewalOf(
  state: PanelState,
  client: Client,
  now: number,
  zone: string,
  done: Set<ClientNumber>,
): Caused<PanelEvent>[] {
  const { expiresAt } = client.spec;
  if (!renewsItself(client) || expiresAt <= 0 || expiresAt > now) return [];
  const next = nextTerm(client, now, zone);
  const renewed = ClientRenewed({ client: client.number, previousExpiresAt: expiresAt, expiresAt: next });
  // This also restores siblings that have not expired. Expired siblings are renewed in their own turn.
  const reset = !done.has(client.number) && hasUsed(state, client) ? resetClient(state, client, now, { done }) : [];
  const later: Client = { ...client, spec: { ...client.spec, expiresAt: next } };
  const effects = [...reset, ...clientDepletionEvents(later, zero, now)];
  return [renewed, ...effects.map((event) => ({ ...event, cause: 0 }))];
}

/** The clients that must be judged because time has passed, in the order of their numbers. */
export function clientsDue({ clients, due }: PanelState, now: number): readonly Client[] {
  const numbers = due.due(now).toSorted((one, other) => one - other);
  return numbers.flatMap((number) => clients.get(number) ?? []);
}

function hasUsed(state: PanelState, client: Client): boolean {
  const { up, down } = usedBy(state, client);
  return up + down > 0;
}

/** The first expiry after `now`, at the time of day of the first expiry if that day has it. */
function nextTerm({ spec: { expiresAt, renewalDays: days }, firstEnd }: Client, now: number, zone: string): number {
  let terms = Math.max(1, Math.floor((now - expiresAt) / (days * DAY_MS)));
  let next = addDays(expiresAt, terms * days, zone, firstEnd);
  while (next <= now) {
    terms += 1;
    next = addDays(expiresAt, terms * days, zone, firstEnd);
  }
  return next;
}
