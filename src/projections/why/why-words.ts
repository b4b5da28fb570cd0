import type { Client } from '../../events/client/client-document.js';
import type { Counter } from '../../events/counters.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import { periodEnd } from '../../lib/time/calendar.js';
import { bytesText, timeText } from '../../lib/words.js';
import type { Sibling } from './why-facts.js';

export function capText(depletion: Depletion | null, usedBytes: number): string {
  if (depletion?.reason !== 'cap') return '';
  const more = usedBytes > depletion.usedBytes ? ` (now ${bytesText(usedBytes)})` : '';
  return `it used ${bytesText(depletion.usedBytes)} of ${bytesText(depletion.capBytes)}${more}`;
}

export function expiryText(depletion: Depletion | null): string {
  return depletion?.reason === 'expiry' ? `it expired at ${timeText(depletion.expiresAt)}` : '';
}

/** What is left of its cap. */
export function left({ spec: { capBytes } }: Client, used: Counter): string {
  if (capBytes === 0) return 'no cap';
  return `${bytesText(Math.max(0, capBytes - used.up - used.down))} left of ${bytesText(capBytes)}`;
}

/** Where the bytes of one email come from: the core of this panel counts all of its inbounds as one, each node for itself. */
export function together(siblings: readonly Sibling[]): string {
  if (siblings.length < 2) return '';
  const tags = siblings.map(({ inbound }) => inbound.tag).join(', ');
  const bytes = (some: readonly Sibling[]): number => some.reduce((sum, { own }) => sum + own.up + own.down, 0);
  const away = siblings.filter(({ inbound }) => inbound.node !== null);
  const here = siblings.filter(({ inbound }) => inbound.node === null);
  const split =
    away.length > 0 && here.length > 0
      ? `; ${bytesText(bytes(here))} on this machine, ${bytesText(bytes(away))} on nodes`
      : '';
  return ` (one email in ${siblings.length} inbounds counts together: ${tags}${split})`;
}

export function renewal({ spec }: Client): readonly string[] {
  if (spec.renewalDays === 0 || spec.expiresAt <= 0) return [];
  return [`wait: it renews itself at ${timeText(spec.expiresAt)}`];
}

/** When the traffic of somebody in these inbounds is set to zero by itself: with the first of their periods that ends. */
export function nextPeriod(inbounds: readonly Inbound[], now: number, zone: string, whose: string): readonly string[] {
  const ends = inbounds.flatMap(({ trafficReset }) =>
    trafficReset === 'never' ? [] : [periodEnd(now, trafficReset, zone)],
  );
  return ends.length === 0 ? [] : [`wait: ${whose} is reset at ${timeText(Math.min(...ends))}`];
}
