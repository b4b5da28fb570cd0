import { type Counter, sumOf, zero } from '../../events/counters.js';
import { type BaselineNote, type CounterBaseline, CounterMark, untested } from '../../events/node/node-sync.js';
import type { SeenCounter } from '../ports/remote-panel.js';

/** What of a counter's growth counts, and where it is followed from now on; null = from where it was: it is unreadable. */
export interface Credit {
  readonly growth: Counter;
  readonly next: CounterBaseline | null;
  readonly note: BaselineNote | null;
}

/** Less than this may well be twice what it was. Bytes. */
const DOUBLE_BYTES = 1024 * 1024;

/**
 * What a counter grew by since it was read before. It may be lost, set back, put back or set by hand: of what it says no
 * more is credited than could have flowed, which is `most` bytes, and what was credited once is never taken back.
 */
export function creditOf(before: CounterBaseline | undefined, seen: SeenCounter, most: number): Credit {
  if (!isCount(seen.up) || !isCount(seen.down) || !isCount(seen.up + seen.down))
    return { growth: zero, next: null, note: null };
  const now = { up: seen.up, down: seen.down, allTime: isCount(seen.allTime) ? seen.allTime : 0 };
  if (!before) return { growth: zero, next: { ...now, marks: untested, high: 0 }, note: 'first' };
  const grown = { up: now.up - before.up, down: now.down - before.down };
  const isBack = comesBack(before, now);
  const next = { ...now, ...storyOf(before, now, isBack) };
  if (grown.up < 0 || grown.down < 0 || now.allTime < before.allTime) return { growth: zero, next, note: 'decreased' };
  const bytes = grown.up + grown.down;
  if (bytes > most) return { growth: zero, next, note: 'implausible' };
  // The bytes of all time are touched by no reset and by no hand; only what they grew by as well has flowed.
  const kept = !next.marks.includes('all-time-never-grown') ? now.allTime - before.allTime : bytes;
  const beyond = isBack ? Math.max(0, heightOf(now) - before.high) : bytes;
  const growth = upTo(grown, Math.min(kept, beyond));
  if (isBack) return { growth, next, note: 'recovered' };
  return { growth, next, note: growth.up + growth.down < bytes ? 'capped' : null };
}

/** Bytes that only a lost or an older state of the panel has less of; where those of all time are not kept, a reset as well. */
function heightOf({ up, down, allTime }: SeenCounter): number {
  return allTime > 0 ? allTime : up + down;
}

/**
 * Whether a counter that has fallen is put back where it was, or nearly: by one that brings half of it at once, or the first
 * time that it grows. What flows brings it there little by little.
 */
function comesBack(before: CounterBaseline, now: SeenCounter): boolean {
  const stands = heightOf(now);
  const risen = stands - heightOf(before);
  if (before.high === 0 || risen <= 0) return false;
  return 2 * risen >= before.high || (stands >= before.high && before.marks.includes('decreased'));
}

function storyOf(before: CounterBaseline, now: SeenCounter, isBack: boolean): Pick<CounterBaseline, 'marks' | 'high'> {
  const stood = heightOf(before);
  const stands = heightOf(now);
  // Under another name it may be another counter, which stands where it stands.
  const isOther = stands < stood && before.marks.includes('renamed');
  const highest = isOther ? 0 : Math.max(before.high, stood);
  const high = stands < highest ? highest : 0;
  const allTimeGrew = now.allTime > before.allTime || !before.marks.includes('all-time-never-grown');
  const isKept = now.allTime > 0 || now.up + now.down === 0;
  const grew = now.up > before.up || now.down > before.down || !before.marks.includes('never-grown');
  const isFallen = high > 0 && (stands < stood || isBack || (stands === stood && before.marks.includes('decreased')));
  const marks = marksOf({
    'never-grown': !grew,
    'all-time-never-grown': !isKept || !allTimeGrew,
    decreased: isFallen,
    renamed: !isOther && before.marks.includes('renamed'),
  });
  return { high, marks };
}

/**
 * Where a counter stood that several clients share, by where each of them was followed to. One that has just come to the
 * name of the others was followed elsewhere, and its panel may have added up both or not: of all that can have been it the
 * highest counts, so that no byte counts twice.
 */
export function sharedBaseline(baselines: readonly CounterBaseline[], seen: SeenCounter): CounterBaseline | undefined {
  const apart = baselines.filter(
    ({ up, down }, i) => baselines.findIndex((other) => other.up === up && other.down === down) === i,
  );
  const [only] = apart;
  if (!only || apart.length === 1) return only;
  const together = apart.reduce((a, b) => ({
    ...{ up: a.up + b.up, down: a.down + b.down, allTime: a.allTime + b.allTime },
    ...{ marks: marksOfBoth(a, b), high: a.high + b.high > 0 ? highOf(a) + highOf(b) : 0 },
  }));
  const possible = [together, ...apart].filter(({ up, down }) => up <= seen.up && down <= seen.down);
  const [highest = together] = possible.toSorted((a, b) => b.up + b.down - a.up - a.down);
  return highest;
}

/** What is said of a sum: it has grown when one of its parts has. */
function marksOfBoth(a: CounterBaseline, b: CounterBaseline): readonly CounterMark[] {
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

function highOf(followed: CounterBaseline): number {
  return followed.high || heightOf(followed);
}

/**
 * What the inbounds of a client carried since they were read before; null = that cannot be told. It may be less than their
 * clients used: the core counts some 8 KiB less of every connection there, and of a small reply nothing.
 */
export function carriedBy(inbounds: readonly (Credit | undefined)[]): Counter | null {
  const telling = inbounds.flatMap((credit) =>
    credit?.next && !credit.next.marks.includes('never-grown') && (credit.note === null || credit.note === 'capped')
      ? [credit.growth]
      : [],
  );
  return telling.length < inbounds.length ? null : sumOf(telling);
}

/**
 * A counter that says exactly twice what it said, up and down, has counted itself, unless its inbounds carried at least half
 * of that, one way or both together. Then nothing of it is credited.
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
  const isExplained = 2 * (carried.up + carried.down) >= bytes || (before.up > 0 && 2 * carried.up >= before.up);
  return isExplained ? credit : { ...credit, growth: zero, note: 'doubled' };
}

/** At most so many bytes, about in the same proportion. */
function upTo({ up, down }: Counter, bytes: number): Counter {
  const all = up + down;
  if (all <= bytes) return { up, down };
  const part = Math.floor((up / all) * bytes);
  return { up: part, down: bytes - part };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
