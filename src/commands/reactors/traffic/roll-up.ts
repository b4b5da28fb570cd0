import { measuredTypes, type RecordedEvent } from '../../../events/catalog.js';
import type { EventLog } from '../../../events/log/log.js';
import type { NodeTraffic } from '../../../events/node/node-sync.js';
import type { TrafficSum } from '../../../events/traffic/traffic.js';
import { atOnce, type Steps } from '../../../lib/time/slices.js';
import type { AnyCommand } from '../../catalog.js';
import { spanStart } from './spans.js';

/** Events that do not commute with traffic: a sum is placed at its last reading, so it must not extend past one of these. */
const BARRIERS: ReadonlySet<RecordedEvent['type']> = new Set([
  'ClientTrafficReset',
  'ClientsTrafficReset',
  'ClientTrafficAdjusted',
  'ClientTrafficTransferred',
  'InboundTrafficReset',
  'InboundCountersReleased',
  'OutboundTrafficReset',
  'ClientIdentityChanged',
  'ClientCredentialRotated',
  'ClientDeleted',
  'ClientsDeleted',
  'InboundUpdated',
  'InboundDeleted',
  'CoreStarted',
  'NodeInboundApplied',
  'NodeInboundRemoved',
  'NodeIdentified',
  'NodeUpdated',
  'NodeDeleted',
]);

/** Few, because a measurement of 10,000 clients takes milliseconds to read. */
const PAGE_EVENTS = 4;
/** Measurements in one roll-up. A backlog of months takes many roll-ups. */
const MAX_MEASUREMENTS = 20_000;
const MEASURED: ReadonlySet<string> = new Set(measuredTypes);

class Sum {
  readonly #run: string;
  readonly #clients = new Map<number, [number, number, number, number]>();
  readonly #inbounds = new Map<number, [number, number, number]>();
  readonly #outbounds = new Map<string, [string, number, number]>();
  /** The start of its span. A sum never exceeds a span, so that daily statements stay exact. */
  readonly span: number;
  position = 0;

  constructor(run: string, startedAt: number) {
    this.#run = run;
    this.span = spanStart(startedAt);
  }

  accepts(at: number): boolean {
    return spanStart(at) === this.span;
  }

  add({ clients, inbounds, outbounds }: TrafficSum, position: number, at: number): void {
    this.position = position;
    for (const [number, up, down, seen] of clients) {
      const sum = this.#clients.get(number) ?? [number, 0, 0, 0];
      this.#clients.set(number, [number, sum[1] + up, sum[2] + down, Math.max(sum[3], seen ?? at)]);
    }
    for (const [id, up, down] of inbounds) {
      const sum = this.#inbounds.get(id) ?? [id, 0, 0];
      this.#inbounds.set(id, [id, sum[1] + up, sum[2] + down]);
    }
    for (const [tag, up, down] of outbounds) {
      const sum = this.#outbounds.get(tag) ?? [tag, 0, 0];
      this.#outbounds.set(tag, [tag, sum[1] + up, sum[2] + down]);
    }
  }

  total(): { position: number; sum: TrafficSum } {
    const byKey = <T extends readonly [number | string, ...unknown[]]>(a: T, b: T): number => (a[0] < b[0] ? -1 : 1);
    return {
      position: this.position,
      sum: {
        run: this.#run,
        clients: [...this.#clients.values()].sort(byKey),
        inbounds: [...this.#inbounds.values()].sort(byKey),
        outbounds: [...this.#outbounds.values()].sort(byKey),
      },
    };
  }
}

/** The traffic of one node, and the last readings of its counters. */
class NodeSum {
  readonly #node: NodeTraffic['node'];
  readonly #clients = new Map<number, NodeTraffic['clients'][number]>();
  readonly #inbounds = new Map<number, NodeTraffic['inbounds'][number]>();
  readonly #notes: NodeTraffic['anomalies'][number][] = [];
  /** The start of its span. A sum never exceeds a span, so that daily statements stay exact. */
  readonly span: number;
  position = 0;

  constructor(node: NodeTraffic['node'], startedAt: number) {
    this.#node = node;
    this.span = spanStart(startedAt);
  }

  accepts(at: number): boolean {
    return spanStart(at) === this.span;
  }

  add({ clients, inbounds, anomalies: notes }: NodeTraffic, position: number): void {
    this.position = position;
    for (const [number, up, down, seenUp, seenDown, allTime, marks, high, online] of clients) {
      const [, upBefore, downBefore, , , , , , before] = this.#clients.get(number) ?? [0, 0, 0, 0, 0, 0, [], 0, 0];
      // The time online only counts with traffic.
      const at = up + down > 0 ? Math.max(before, online) : before;
      const seen = [seenUp, seenDown, allTime, marks, high] as const;
      this.#clients.set(number, [number, upBefore + up, downBefore + down, ...seen, at]);
    }
    for (const [id, up, down, ...seen] of inbounds) {
      const [, upBefore, downBefore] = this.#inbounds.get(id) ?? [0, 0, 0];
      this.#inbounds.set(id, [id, upBefore + up, downBefore + down, ...seen]);
    }
    this.#notes.push(...notes);
  }

  total(): { position: number; sum: NodeTraffic } {
    const byKey = (a: readonly [number, ...unknown[]], b: readonly [number, ...unknown[]]): number => a[0] - b[0];
    return {
      position: this.position,
      sum: {
        node: this.#node,
        clients: [...this.#clients.values()].sort(byKey),
        inbounds: [...this.#inbounds.values()].sort(byKey),
        anomalies: this.#notes,
      },
    };
  }
}

/** The sums of a range, ordered by their ends. */
class Sums {
  readonly #sums: { position: number; sum: TrafficSum }[] = [];
  readonly #nodeSums: { position: number; sum: NodeTraffic }[] = [];
  /** By run: the machines of a cluster have one each. */
  readonly #open = new Map<string, Sum>();
  /** The span of the event before. */
  #span = 0;
  readonly #nodes = new Map<NodeTraffic['node'], NodeSum>();

  add(event: RecordedEvent): void {
    const { at } = event.meta;
    const span = spanStart(at);
    // A statement distinguishes traffic before and after the clock was set back.
    if (BARRIERS.has(event.type) || span < this.#span) this.#close();
    this.#span = span;
    if (event.type === 'NodeTrafficRecorded') {
      const { node } = event.data;
      if (this.#nodes.get(node)?.accepts(at) === false) this.#closeNode(node);
      const sum = this.#nodes.get(node) ?? new NodeSum(node, at);
      this.#nodes.set(node, sum);
      sum.add(event.data, event.position);
    }
    if (event.type === 'TrafficRecorded') {
      const { run } = event.data;
      if (this.#open.get(run)?.accepts(at) === false) this.#closeRun(run);
      const sum = this.#open.get(run) ?? new Sum(run, at);
      this.#open.set(run, sum);
      sum.add(event.data, event.position, at);
    }
  }

  end() {
    this.#close();
    this.#sums.sort((a, b) => a.position - b.position);
    return { sums: this.#sums, nodeSums: this.#nodeSums };
  }

  #close(): void {
    for (const run of this.#open.keys()) this.#closeRun(run);
    for (const node of this.#nodes.keys()) this.#closeNode(node);
  }

  #closeRun(run: string): void {
    const sum = this.#open.get(run);
    if (sum) this.#sums.push(sum.total());
    this.#open.delete(run);
  }

  #closeNode(node: NodeTraffic['node']): void {
    const sum = this.#nodes.get(node);
    if (sum) this.#nodeSums.push(sum.total());
    this.#nodes.delete(node);
  }
}

/**
 * The events after position `from` up to the first one that happened at `before` (ms) or later, in pages. An event with a time
 * after `now` was recorded while the clock was ahead; its age is that of the next event with a plausible time.
 */
function* pagesDue(log: Log, from: number, before: number, now: number): Generator<readonly RecordedEvent[]> {
  let dueTo = from;
  for (
    let page = log.read(from, PAGE_EVENTS);
    page.length > 0;
    page = log.read(page.at(-1)?.position ?? 0, PAGE_EVENTS)
  ) {
    for (const [i, event] of page.entries()) {
      if (event.meta.at > now && event.position > dueTo) {
        const next = log.nextBy(event.position, now);
        if (next === null || next.at >= before) return yield page.slice(0, i);
        dueTo = next.position;
      }
      if (event.meta.at <= now && event.meta.at >= before) return yield page.slice(0, i);
    }
    yield page;
  }
}

type Log = Pick<EventLog, 'read' | 'nextBy' | 'measuredRoot'>;

/** `rollUpSteps` at once. */
export function planRollUp(log: Log, from: number, before: number, now: number): AnyCommand | null {
  return atOnce(rollUpSteps(log, from, before, now));
}

/**
 * The command that rolls up the measurements after `from` that happened before `before` (ms), at most `MAX_MEASUREMENTS`, or null
 * when there are none. Sums end at every barrier, so a replay of the sums gives the same state. Events that are appended
 * between two steps are newer than `before`.
 */
export function* rollUpSteps(log: Log, from: number, before: number, now: number): Steps<AnyCommand | null> {
  const sums = new Sums();
  let first: RecordedEvent | undefined;
  let last: RecordedEvent | undefined;
  let [lastAt, ahead, measured] = [0, false, 0];
  for (const page of pagesDue(log, from, before, now)) {
    for (const event of page) {
      if (measured === MAX_MEASUREMENTS) break;
      first ??= event;
      last = event;
      if (event.meta.at > now) ahead = true;
      else lastAt = Math.max(lastAt, event.meta.at); // clocks are set back
      sums.add(event);
      if (MEASURED.has(event.type)) measured += 1;
    }
    if (measured === MAX_MEASUREMENTS) break;
    yield;
  }
  if (!first || !last) return null;
  const { root: digest, count: prunedCount } = log.measuredRoot(first.position, last.position);
  if (prunedCount === 0) return null;
  const times = { firstAt: Math.min(first.meta.at, now), lastAt, ...(ahead ? { skewedAfterAt: now } : {}) };
  return {
    type: 'RecordRollUp',
    data: { fromPosition: first.position, toPosition: last.position, ...times, digest, prunedCount, ...sums.end() },
  };
}
