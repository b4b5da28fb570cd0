import type { Client } from '../../events/client/client-document.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Counter } from '../../events/traffic/counters.js';
import { periodEnd } from '../../lib/time/calendar.js';
import { message, type Text } from '../../messages/message.js';
import type { Sibling } from './why-facts.js';

/** What remains of a client's cap. */
export function remainingQuota({ spec: { capBytes: cap } }: Client, used: Counter): Text {
  if (cap === 0) return message('why.noCap');
  return message('why.capLeft', { left: Math.max(0, cap - used.up - used.down), cap });
}

/** Until when a client may connect. A negative expiry is the length of a term that starts with the first use. */
export function expiryOf({ spec: { expiresAt: at, renewalDays } }: Client): Text {
  if (at === 0) return message('why.noExpiry');
  if (at < 0) return message('why.startsWithFirstUse', { term: -at });
  return renewalDays > 0 ? message('why.renewsAt', { at, count: renewalDays }) : message('why.expiresAt', { at });
}

/**
 * A rule about the traffic of an email in several inbounds, which counts together. Each node counts for itself, so the
 * sums of this machine and of the nodes are shown when both have inbounds.
 */
export function ofEmail(rule: Text, siblings: readonly Sibling[]): Text {
  if (siblings.length < 2) return rule;
  const shared = { rule, inbounds: siblings.length, tags: siblings.map(({ inbound }) => inbound.tag) };
  const onNodes = siblings.filter(({ inbound }) => inbound.node !== null);
  const here = siblings.filter(({ inbound }) => inbound.node === null);
  if (onNodes.length === 0 || here.length === 0) return message('why.sharedEmail', shared);
  return message('why.sharedEmailOnNodes', { ...shared, local: bytesOf(here), remote: bytesOf(onNodes) });
}

function bytesOf(siblings: readonly Sibling[]): number {
  return siblings.reduce((sum, { own }) => sum + own.up + own.down, 0);
}

export function renewalOf({ spec: { renewalDays, expiresAt: at } }: Client): readonly Text[] {
  return renewalDays === 0 || at <= 0 ? [] : [message('why.waitForRenewal', { at })];
}

/** When the first of the current traffic periods of these inbounds ends, in ms; null without periods. */
export function nextReset(inbounds: readonly Inbound[], now: number, zone: string): number | null {
  const ends = inbounds.flatMap(({ trafficReset }) =>
    trafficReset === 'never' ? [] : [periodEnd(now, trafficReset, zone)],
  );
  return ends.length === 0 ? null : Math.min(...ends);
}
