import { type BaselineNote, type CounterBaseline, CounterMark, untested } from '../../events/node/node-sync.js';
import { type Counter, sumOf, zero } from '../../events/traffic/counters.js';
import type { SeenCounter } from '../ports/remote-panel.js';

/** The credited growth of a counter. */
export interface Credit {
  readonly growth: Counter;
  /** The new baseline; null = the counter is unreadable and keeps its baseline. */
  readonly next: CounterBaseline | null;
  readonly note: BaselineNote | null;
}

/** A smaller counter can double by normal traffic. Bytes. */
const DOUBLE_BYTES = 1024 * 1024;

/**
 * Credits the growth of a counter since it was last read. A counter can be lost, reset, restored or set manually. At most
 * `most` bytes are credited, which is what a machine can carry in that time, and credited bytes are never taken back.
 */
export function creditOf(before: CounterBaseline | undefined, seen: SeenCounter, most: number): Credit {
  if (!isCount(seen.up) || !isCount(seen.down) || !isCount(seen.up + seen.down))
    return { growth: zero, next: null, note: null };
  const now = { up: seen.up, down: seen.down, allTime: isCount(seen.allTime) ? seen.allTime : 0 };
  if (!before) return { growth: zero, next: { ...now, marks: untested, high: 0 }, note: 'first' };
  const grown = { up: now.up - before.up, down: now.down - before.down };
  const isRecovered = isRecovery(before, now);
  const next = { ...now, ...marksAndHigh(before, now, isRecovered) };
  if (grown.up < 0 || grown.down < 0 || now.allTime < before.allTime) return { growth: zero, next, note: 'decreased' };
  const bytes = grown.up + grown.down;
  if (bytes > most) return { growth: zero, next, note: 'implausible' };
  // No reset changes the all-time bytes, so at most their growth is traffic.
  const kept = !next.marks.includes('all-time-never-grown') ? now.allTime - before.allTime : bytes;
  const beyond = isRecovered ? Math.max(0, lifetimeBytes(now) - before.high) : bytes;
  const growth = capped(grown, Math.min(kept, beyond));
  if (isRecovered) return { growth, next, note: 'recovered' };
  return { growth, next, note: growth.up + growth.down < bytes ? 'capped' : null };
}

/** Bytes that decrease only if the panel lost its state or was restored; without all-time bytes also by a reset. */
function lifetimeBytes({ up, down, allTime }: SeenCounter): number {
  return allTime > 0 ? allTime : up + down;
}

/**
 * Whether a decreased counter was restored to its previous value, or nearly: it grew by half of that value at once, or exceeds
 * that value with its first growth. Traffic makes it grow in smaller steps.
 */
function isRecovery(before: CounterBaseline, now: SeenCounter): boolean {
  const bytesNow = lifetimeBytes(now);
  const rise = bytesNow - lifetimeBytes(before);
  if (before.high === 0 || rise <= 0) return false;
  return 2 * rise >= before.high || (bytesNow >= before.high && before.marks.includes('decreased'));
}

function marksAndHigh(
  before: CounterBaseline,
  now: SeenCounter,
  isRecovered: boolean,
): Pick<CounterBaseline, 'marks' | 'high'> {
  const bytesBefore = lifetimeBytes(before);
  const bytesNow = lifetimeBytes(now);
  // After a rename this can be another counter with its own value.
  const isOther = bytesNow < bytesBefore && before.marks.includes('renamed');
  const highest = isOther ? 0 : Math.max(before.high, bytesBefore);
  const high = bytesNow < highest ? highest : 0;
  const allTimeGrew = now.allTime > before.allTime || !before.marks.includes('all-time-never-grown');
  const isKept = now.allTime > 0 || now.up + now.down === 0;
  const grew = now.up > before.up || now.down > before.down || !before.marks.includes('never-grown');
  const isDecreased =
    high > 0 &&
    (bytesNow < bytesBefore || isRecovered || (bytesNow === bytesBefore && before.marks.includes('decreased')));
  const marks = marksOf({
    'never-grown': !grew,
    'all-time-never-grown': !isKept || !allTimeGrew,
    decreased: isDecreased,
    renamed: !isOther && before.marks.includes('renamed'),
  });
  return { high, marks };
}

/**
 * The baseline of a counter that several clients share, from their own baselines. A client that has just got the email of the
 * others had another counter, which the panel may have added to theirs or not. The highest possible baseline is used, so
 * that no byte counts twice.
 */
export function sharedBaseline(baselines: readonly CounterBaseline[], seen: SeenCounter): CounterBaseline | undefined {
  const distinct = baselines.filter(
    ({ up, down }, i) => baselines.findIndex((other) => other.up === up && other.down === down) === i,
  );
  const [only] = distinct;
  if (!only || distinct.length === 1) return only;
  const summed = distinct.reduce((a, b) => ({
    ...{ up: a.up + b.up, down: a.down + b.down, allTime: a.allTime + b.allTime },
    ...{ marks: marksOfSum(a, b), high: a.high + b.high > 0 ? peakOf(a) + peakOf(b) : 0 },
  }));
  const possible = [summed, ...distinct].filter(({ up, down }) => up <= seen.up && down <= seen.down);
  const [highest = summed] = possible.toSorted((a, b) => b.up + b.down - a.up - a.down);
  return highest;
}

/** The marks of a sum of two counters: it has grown when one of them has. */
function marksOfSum(a: CounterBaseline, b: CounterBaseline): readonly CounterMark[] {
  const both = (mark: CounterMark): boolean => a.marks.includes(mark) && b.marks.includes(mark);
  const either = (mark: CounterMark): boolean => a.marks.includes(mark) || b.marks.includes(mark);
  return marksOf({
    'never-grown': both('never-grown'),
    'all-time-never-grown': both('all-time-never-grown'),
    decreased: either('decreased'),
    renamed: either('renamed'),
  });
}

function marksOf(marks: Readonly<Record<CounterMark, boolean>>): readonly CounterMark[] {
  return CounterMark.options.filter((mark) => marks[mark]);
}

/** Bytes before the counter decreased, or its current bytes. */
function peakOf(baseline: CounterBaseline): number {
  return baseline.high || lifetimeBytes(baseline);
}

/**
 * What the inbounds of a client carried since they were last read; null = unknown. It may be less than their clients used:
 * for an inbound, the core counts about 8 KiB less of every connection, and nothing of a small reply.
 */
export function carriedBy(inbounds: readonly (Credit | undefined)[]): Counter | null {
  const usable = inbounds.flatMap((credit) =>
    credit?.next && !credit.next.marks.includes('never-grown') && (credit.note === null || credit.note === 'capped')
      ? [credit.growth]
      : [],
  );
  return usable.length < inbounds.length ? null : sumOf(usable);
}

/**
 * Credits nothing if up and down are exactly twice their previous values, unless the inbounds carried at least half of that, up
 * or in total: then the panel has added the counter to itself.
 */
export function unlessDoubled<C extends Credit>(
  credit: C,
  before: CounterBaseline | undefined,
  carried: Counter | null,
): C {
  const { growth, next } = credit;
  if (!before || !next || carried === null || growth.up + growth.down === 0) return credit;
  const bytes = before.up + before.down;
  if (next.up !== 2 * before.up || next.down !== 2 * before.down || bytes < DOUBLE_BYTES) return credit;
  const isCarried = 2 * (carried.up + carried.down) >= bytes || (before.up > 0 && 2 * carried.up >= before.up);
  return isCarried ? credit : { ...credit, growth: zero, note: 'doubled' };
}

/** At most this many bytes, in about the same proportion. */
function capped({ up, down }: Counter, bytes: number): Counter {
  const all = up + down;
  if (all <= bytes) return { up, down };
  const part = Math.floor((up / all) * bytes);
  return { up: part, down: bytes - part };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
