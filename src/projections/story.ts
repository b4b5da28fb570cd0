import type { RecordedEvent } from '../events/catalog.js';
import type { Depletion } from '../events/inbound/inbound.js';
import type { EventLog } from '../events/log/log.js';
import { bytesText, spanText, timeText } from '../lib/words.js';

/** What a story is read from. */
export interface StoryLog extends Pick<EventLog, 'readStream'> {
  /** Where the event with this id stands, looked for backwards from a later position. */
  place(id: string, before: number): { readonly position: number; readonly type: string } | null;
  /** The event at a position; undefined where there is none, or where it was rolled up. */
  at(position: number): RecordedEvent | undefined;
  /** The newest event of a stream that is of one of these types, and that `fits`; null where it is not, or not any more. */
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits?: (event: RecordedEvent) => boolean,
  ): RecordedEvent | null;
}

/** One thing that happened to a client, and why. */
export interface Chapter {
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly what: string;
  readonly by: string;
  readonly because: { readonly position: number; readonly type: string } | null;
}

/** What happened to a client itself, oldest first. */
export function historyOf(log: Pick<StoryLog, 'readStream'>, client: number): readonly RecordedEvent[] {
  return log.readStream(`client-${client}`, 0, Number.MAX_SAFE_INTEGER);
}

/** Everything that happened to a client, and to its inbound while it was there, in order. */
export function storyOf(log: StoryLog, client: number): readonly Chapter[] {
  const own = historyOf(log, client);
  const added = own.find((event) => event.type === 'ClientAdded');
  const inbound =
    added?.type === 'ClientAdded' ? log.readStream(`inbound-${added.data.inbound}`, 0, Number.MAX_SAFE_INTEGER) : [];
  const first = own[0]?.position ?? 0;
  const last = own.findLast((event) => event.type === 'ClientDeleted')?.position ?? Number.POSITIVE_INFINITY;
  const around = inbound.filter((event) => tellsOfInbound(event) && event.position > first && event.position < last);
  return [...own, ...around].sort((a, b) => a.position - b.position).map((event) => chapter(log, event));
}

function tellsOfInbound({ type }: RecordedEvent): boolean {
  return [
    'InboundEnabled',
    'InboundDisabled',
    'InboundDepleted',
    'InboundReactivated',
    'InboundReconfigured',
    'InboundTrafficPeriodStarted',
    'InboundDeleted',
  ].includes(type);
}

function chapter(log: StoryLog, event: RecordedEvent): Chapter {
  const { position, type, meta } = event;
  const because = meta.causationId === null ? null : log.place(meta.causationId, position);
  return { position, at: meta.at, type, what: sentence(event), by: actorText(meta), because };
}

/** Who did it, for people. */
export function actorText({ actor }: RecordedEvent['meta']): string {
  const from = actor.ip === null ? '' : ` from ${actor.ip}`;
  return actor.kind === 'system' ? `the panel (${actor.name})` : `${actor.kind} ${actor.name}${from}`;
}

export function chapterLine({ position, at, what, by, because }: Chapter): string {
  const cause = because ? `, because of #${because.position} ${because.type}` : '';
  return `${timeText(at)}  #${position}  ${what}  (by ${by}${cause})`;
}

const limit = (depletion: Depletion): string =>
  depletion.reason === 'cap'
    ? `it used ${bytesText(depletion.usedBytes)} of ${bytesText(depletion.capBytes)}`
    : `it expired at ${timeText(depletion.expiresAt)}`;

/** Why addresses are held back no more. */
const admission = {
  left: 'one that was kept left',
  changed: 'its limit was changed, or it was switched on',
  reset: 'its traffic was reset',
  cleared: 'its recorded addresses were cleared',
} as const;

/** A changed term in words. */
function termText(key: string, value: unknown): string {
  const number = Number(value);
  switch (key) {
    case 'enabled':
      return value === true ? 'switched on' : 'switched off';
    case 'capBytes':
      return number === 0 ? 'no cap any more' : `the cap is now ${bytesText(number)}`;
    case 'expiresAt':
      if (number === 0) return 'no expiry any more';
      return number > 0
        ? `it now expires ${timeText(number)}`
        : `its term of ${spanText(-number)} begins with the next use`;
    case 'limitIp':
      return number === 0 ? 'any number of addresses' : `at most ${number} addresses`;
    default:
      return `${key} is now ${JSON.stringify(value)}`;
  }
}

/** What happened, for people. */
export function sentence(event: RecordedEvent): string {
  switch (event.type) {
    case 'ClientAdded': {
      const { inbound, identity, spec } = event.data;
      const cap = spec.capBytes > 0 ? bytesText(spec.capBytes) : 'no cap';
      const end =
        spec.expiresAt > 0
          ? `expires ${timeText(spec.expiresAt)}`
          : spec.expiresAt < 0
            ? `expires ${spanText(-spec.expiresAt)} after first use`
            : 'no expiry';
      return `was added to inbound ${inbound} as ${identity.email}: ${cap}, ${end}, ${spec.enabled ? 'enabled' : 'disabled'}`;
    }
    case 'ClientUpdated':
      return `was changed: ${Object.entries(event.data.changes)
        .map(([key, value]) => termText(key, value))
        .join(', ')}`;
    case 'ClientIdentityChanged':
      return `is now ${event.data.identity.email}`;
    case 'ClientCredentialRotated':
      return `got new credentials (life ${event.data.keyVersion}); the old ones were destroyed`;
    case 'ClientDeleted':
      return 'was deleted';
    case 'ClientDepleted':
      return `was cut off: ${limit(event.data.depletion)}`;
    case 'ClientReactivated':
      return 'may connect again';
    case 'ClientTrafficReset':
      return `its counters were set to zero; they were ${bytesText(event.data.up)} up, ${bytesText(event.data.down)} down`;
    case 'ClientTrafficAdjusted':
      return `its counters were set by hand to ${bytesText(event.data.up)} up, ${bytesText(event.data.down)} down`;
    case 'ClientTrafficTransferred':
      return `took over ${bytesText(event.data.up)} up, ${bytesText(event.data.down)} down from client #${event.data.fromClient}, which left its email`;
    case 'ClientExpiryStarted':
      return `first use: it expires at ${timeText(event.data.expiresAt)}`;
    case 'ClientRenewed':
      return `its term was over at ${timeText(event.data.previousExpiresAt)} and renewed itself until ${timeText(event.data.expiresAt)}`;
    case 'ClientHistoryImported':
      return `came from another panel with ${bytesText(event.data.up)} up, ${bytesText(event.data.down)} down`;
    case 'ClientIpsSeen':
      return `was connected from ${event.data.ips.map(({ ip }) => ip).join(', ') || '(erased)'}`;
    case 'ClientIpsCleared':
      return 'its recorded addresses were cleared';
    case 'ClientIpsBlocked': {
      const { limit, ips: addresses } = event.data;
      return `was connected from more than the ${limit} addresses that it may have at once: ${addresses.allowed.join(', ') || '(erased)'} may go on, ${addresses.blocked.join(', ') || '(erased)'} may not`;
    }
    case 'ClientIpsUnblocked':
      return `may connect from all of its addresses again: ${admission[event.data.reason]}`;
    case 'InboundDepleted':
      return `its inbound was cut off: ${limit(event.data.depletion)}`;
    case 'InboundTrafficPeriodStarted':
      return `a new ${event.data.period} period of its inbound began at ${timeText(event.data.startedAt)}`;
    case 'InboundEnabled':
      return 'its inbound was switched on';
    case 'InboundDisabled':
      return 'its inbound was switched off';
    case 'InboundReactivated':
      return 'its inbound listens again';
    case 'InboundReconfigured':
      return 'its inbound got other settings';
    default:
      return event.type;
  }
}
