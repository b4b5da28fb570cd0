import { type Accepted, hostOf } from './access-log.js';

/** The owner of a session. */
interface Owner {
  /** The number of the client; 0 for an account that does not belong to a client. */
  readonly client: number;
  readonly inbound: string;
  /** Address and port of the client; null: it may have been another address of the same account. */
  readonly source: string | null;
}

/**
 * Finds the access line of each dispatched session: the same target at about the same time. Either may be missing, because
 * the core drops log entries under load. So a session gets an owner only when no other client is possible.
 */
interface Pairs<Session> {
  addLine(line: Accepted): void;
  /** `at`: µs, by the clock of the lines. */
  addSession(session: Session, target: string, at: number): void;
  /**
   * Determines the owners of sessions that were read long enough ago. `began`, `ended`: when the last reading of the logs
   * started and ended, ms of a monotonic clock.
   */
  decide(began: number, ended: number): void;
}

/** ms between the reading that contains a session and one that certainly contains all entries of the same time. */
export const SETTLE_MS = 300;

/** µs between two entries about the same request. */
const SAME_REQUEST_US = 1000;
/** Each log has its own writer, which adds the timestamp when it writes: on an idle machine at most this much later, µs. */
const MAX_DELAY_IDLE_US = 20_000;
/** The same when the logs do not match: on a busy machine, or when entries were dropped. */
const MAX_DELAY_BUSY_US = 200_000;
/** ms after which a session without a following quiet moment is given up. */
const DECIDE_TIMEOUT_MS = 10_000;

interface Entry<Session> {
  /** µs. */
  readonly at: number;
  /** ms of the monotonic clock. */
  read: number;
  readonly line: Accepted | null;
  /** Null once it was decided. */
  session: Session | null;
}

/** Entries for one target with less than `SAME_REQUEST_US` between each and the next. */
interface Cluster<Session> {
  readonly entries: readonly Entry<Session>[];
  readonly from: number;
  readonly to: number;
  /** Whether there are as many lines as sessions. */
  readonly fits: boolean;
}

/** `onOwner` gets null for a session that matches several owners, and undefined for one that matches no line. */
export function createPairs<Session>(
  onOwner: (session: Session, owner: Owner | null | undefined) => void,
): Pairs<Session> {
  const byTarget = new Map<string, Entry<Session>[]>();
  let fresh: Entry<Session>[] = [];

  const add = (target: string, at: number, line: Accepted | null, session: Session | null): void => {
    const entry = { at, read: Number.POSITIVE_INFINITY, line, session };
    fresh.push(entry);
    const others = byTarget.get(target);
    if (others === undefined) byTarget.set(target, [entry]);
    else others.push(entry);
  };

  return {
    addLine: (line) => add(line.target, line.at, line, null),
    addSession: (session, target, at) => add(target, at, null, session),
    decide: (began, ended) => {
      for (const entry of fresh) entry.read = ended;
      fresh = [];
      const settled = ({ read }: Entry<Session>): boolean => read + SETTLE_MS <= began;
      for (const [target, entries] of byTarget) {
        entries.sort((a, b) => a.at - b.at);
        const clusters = clustersOf(entries);
        for (const [n, { entries: clusterEntries }] of clusters.entries()) {
          if (clusterEntries.every(({ session }) => session === null)) continue;
          const whole = clusterEntries.every(settled);
          if (!whole && !clusterEntries.some(({ read }) => read + DECIDE_TIMEOUT_MS <= began)) continue;
          const owner = whole ? ownerOf(clusters, n) : null;
          for (const entry of clusterEntries) {
            if (entry.session !== null) onOwner(entry.session, owner);
            entry.session = null;
          }
        }
        // A decided session still counts for those next to it.
        const first =
          entries.find((entry) => !settled(entry) || entry.session !== null)?.at ?? Number.POSITIVE_INFINITY;
        const kept = entries.filter((entry) => !settled(entry) || entry.at >= first - 3 * MAX_DELAY_BUSY_US);
        if (kept.length > 0) byTarget.set(target, kept);
        else byTarget.delete(target);
      }
    },
  };
}

function clustersOf<Session>(entries: readonly Entry<Session>[]): readonly Cluster<Session>[] {
  const all: Entry<Session>[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const entry of entries) {
    if (entry.at - last < SAME_REQUEST_US) all.at(-1)?.push(entry);
    else all.push([entry]);
    last = entry.at;
  }
  return all.map((cluster) => ({
    entries: cluster,
    from: cluster[0]?.at ?? 0,
    to: cluster.at(-1)?.at ?? 0,
    fits: cluster.filter(({ line }) => line !== null).length * 2 === cluster.length,
  }));
}

/** The only possible owner of these sessions; null when there are several, undefined when there is none. */
function ownerOf<Session>(clusters: readonly Cluster<Session>[], n: number): Owner | null | undefined {
  const around = (span: number): readonly Entry<Session>[] => {
    const [from, to] = [(clusters[n]?.from ?? 0) - span, (clusters[n]?.to ?? 0) + span];
    const found: Entry<Session>[] = [];
    for (const { entries } of near(clusters, n, from, to)) {
      for (const entry of entries) if (entry.at >= from && entry.at <= to) found.push(entry);
    }
    return found;
  };
  const wide = near(
    clusters,
    n,
    (clusters[n]?.from ?? 0) - MAX_DELAY_BUSY_US,
    (clusters[n]?.to ?? 0) + MAX_DELAY_BUSY_US,
  );
  const calm = wide.every(({ fits }) => fits);
  const lines = around(calm ? MAX_DELAY_IDLE_US : MAX_DELAY_BUSY_US).flatMap(({ line }) =>
    line === null ? [] : [line],
  );
  const [one, ...others] = lines;
  if (one === undefined) return undefined;
  const { client } = one;
  if (others.some((line) => line.client !== client || line.inbound !== one.inbound)) return null;
  // One more session than lines: a line of another client may be missing.
  const sessions = around(2 * MAX_DELAY_BUSY_US).filter(({ line }) => line === null).length;
  if (!calm && sessions > lines.length) return null;
  const host = hostOf(one.source);
  const alone = others.every((line) => hostOf(line.source) === host);
  return { client, inbound: one.inbound, source: alone ? one.source : null };
}

/** The clusters around the n-th that reach into a span of time. */
function near<Session>(
  clusters: readonly Cluster<Session>[],
  n: number,
  from: number,
  to: number,
): readonly Cluster<Session>[] {
  let [first, end] = [n, n];
  while ((clusters[first - 1]?.to ?? Number.NEGATIVE_INFINITY) >= from) first -= 1;
  while ((clusters[end + 1]?.from ?? Number.POSITIVE_INFINITY) <= to) end += 1;
  return clusters.slice(first, end + 1);
}
