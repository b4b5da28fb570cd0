import { type Counter, zero } from '../events/counters.js';
import type { BaselineNote } from '../events/node-sync.js';
import type { SeenCounter } from './ports/node-panel.js';

/** Up to where a counter of a node is followed. */
export interface Followed {
  readonly up: number;
  readonly down: number;
  readonly allTime: number;
  /** See `NodeBaseline`. */
  readonly moved: number;
}

/** What of a counter's growth counts, and where it is followed from now on; null = from where it was: it is unreadable. */
export interface Credit {
  readonly growth: Counter;
  readonly next: Followed | null;
  readonly note: BaselineNote | null;
  /** Bytes that it can account for at most, whatever was credited; null = that cannot be told. */
  readonly room: number | null;
}

const ALL_TIME_MOVED = 1;
const MOVED = 2;
/** 10 Gbit/s: what flows faster than this through one counter did not flow. Bytes a second. */
const FASTEST = 1.25e9;
/** A panel reads its own core only now and then, and tells of it at once. In ms. */
const SHORTEST_MS = 30_000;

/**
 * What a counter grew by since it was read before. It may be lost, set back, doubled or set by hand: of what it says no
 * more is credited than could have flowed, and what was credited once is never taken back. `elapsedMs` since then.
 */
export function creditOf(before: Followed | undefined, seen: SeenCounter, elapsedMs: number): Credit {
  if (!isCount(seen.up) || !isCount(seen.down) || !isCount(seen.up + seen.down))
    return { growth: zero, next: null, note: null, room: null };
  const allTime = isCount(seen.allTime) ? seen.allTime : 0;
  const now = { up: seen.up, down: seen.down, allTime };
  if (!before) return { growth: zero, next: { ...now, moved: 0 }, note: 'first', room: null };
  const grown = { up: seen.up - before.up, down: seen.down - before.down };
  const moved =
    before.moved | (allTime > before.allTime ? ALL_TIME_MOVED : 0) | (grown.up > 0 || grown.down > 0 ? MOVED : 0);
  const next = { ...now, moved };
  const kept = (moved & ALL_TIME_MOVED) > 0 ? Math.max(0, allTime - before.allTime) : null;
  if (grown.up < 0 || grown.down < 0) return { growth: zero, next, note: 'fell', room: kept };
  const bytes = grown.up + grown.down;
  if (bytes > (Math.max(elapsedMs, SHORTEST_MS) / 1000) * FASTEST)
    return { growth: zero, next, note: 'implausible', room: 0 };
  // The bytes of all time are touched by no reset and by no hand; only what they grew by as well has flowed.
  const growth = kept === null ? grown : upTo(grown, kept);
  const credited = growth.up + growth.down;
  return { growth, next, note: credited < bytes ? 'clipped' : null, room: credited };
}

/**
 * Where a counter stood that several clients share, by where each of them was followed to. One that has just come to the
 * name of the others was followed elsewhere, and its panel may have added up both or not: of all that can have been it the
 * highest counts, so that no byte counts twice.
 */
export function sharedBaseline(baselines: readonly Followed[], seen: SeenCounter): Followed | undefined {
  const apart = baselines.filter(
    ({ up, down }, i) => baselines.findIndex((other) => other.up === up && other.down === down) === i,
  );
  const [only] = apart;
  if (!only || apart.length === 1) return only;
  const together = apart.reduce((a, b) => ({
    ...{ up: a.up + b.up, down: a.down + b.down, allTime: a.allTime + b.allTime },
    moved: a.moved | b.moved,
  }));
  const possible = [together, ...apart].filter(({ up, down }) => up <= seen.up && down <= seen.down);
  const [highest = together] = possible.toSorted((a, b) => b.up + b.down - a.up - a.down);
  return highest;
}

/** Two counters are not read at the same moment: by this part, and by so many bytes, clients may be ahead of inbounds. */
const SLACK_PARTS = 1 / 64;
const SLACK_BYTES = 64 * 1024;

/** The credit of a client. */
export interface ClientCredit extends Credit {
  /** It uses an inbound whose counter has never moved: what that one carried cannot be told. */
  readonly uncounted: boolean;
}

/**
 * Holds the clients of a node to its inbounds: they cannot have used more than these carried. Where one of the inbounds
 * cannot say what it carried, everything stays.
 */
export function heldToInbounds<C extends ClientCredit>(
  clients: readonly C[],
  inbounds: readonly Credit[],
): readonly C[] {
  if (inbounds.some(({ room, next }) => room === null && (next?.moved ?? 1) > 0)) return clients;
  const carried = inbounds.reduce((sum, { room }) => sum + (room ?? 0), 0);
  const most = carried * (1 + SLACK_PARTS) + Math.min(SLACK_BYTES, carried);
  const held = (credit: C): boolean => !credit.uncounted;
  if (bytesOf(clients.filter(held)) <= most) return clients;
  // One that grew by far more than all of them together has not counted; the others need not suffer for it.
  const sound = clients.map((credit) =>
    held(credit) && bytesOf([credit]) > 2 * most ? { ...credit, growth: zero, note: 'implausible' as const } : credit,
  );
  const bytes = bytesOf(sound.filter(held));
  if (bytes <= most) return sound;
  return sound.map((credit) => {
    const own = bytesOf([credit]);
    if (own === 0 || !held(credit)) return credit;
    return { ...credit, growth: upTo(credit.growth, (own / bytes) * carried), note: 'clipped' };
  });
}

function bytesOf(credits: readonly Credit[]): number {
  return credits.reduce((sum, { growth }) => sum + growth.up + growth.down, 0);
}

/** At most so many bytes, in the same proportion. */
function upTo({ up, down }: Counter, bytes: number): Counter {
  const all = up + down;
  if (all <= bytes) return { up, down };
  return { up: Math.floor((up / all) * bytes), down: Math.floor((down / all) * bytes) };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
