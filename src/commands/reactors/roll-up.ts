import type { RecordedEvent } from '../../events/catalog.js';
import type { EventLog } from '../../events/log.js';
import type { NodeTraffic } from '../../events/node-sync.js';
import type { TrafficSum } from '../../events/traffic.js';
import type { AnyCommand } from '../catalog.js';
import { spanStart } from './spans.js';

/** Events that do not commute with traffic: a sum stands at its last reading, and may not move later than one of these. */
const BARRIERS: ReadonlySet<RecordedEvent['type']> = new Set([
  'ClientTrafficReset',
  'ClientTrafficAdjusted',
  'ClientTrafficInherited',
  'InboundTrafficReset',
  'OutboundTrafficReset',
  'ClientIdentified',
  'ClientCredentialRotated',
  'ClientDeleted',
  'InboundUpdated',
  'InboundDeleted',
  'CoreStarted',
  'NodeInboundApplied',
  'NodeIdentified',
  'NodeUpdated',
  'NodeDeleted',
]);

const PAGE = 1000;

class Sum {
  readonly #run: string;
  readonly #clients = new Map<number, [number, number, number, number]>();
  readonly #inbounds = new Map<number, [number, number, number]>();
  readonly #outbounds = new Map<string, [string, number, number]>();
  /** One sum covers at most this, so that a statement by the day stays exact. */
  readonly span: number;
  at = 0;

  constructor(run: string, startedAt: number) {
    this.#run = run;
    this.span = spanStart(startedAt);
  }

  takes(run: string, at: number): boolean {
    return run === this.#run && spanStart(at) === this.span;
  }

  add({ clients, inbounds, outbounds }: TrafficSum, position: number, at: number): void {
    this.at = position;
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

  total(): { at: number; sum: TrafficSum } {
    const byKey = <T extends readonly [number | string, ...unknown[]]>(a: T, b: T): number => (a[0] < b[0] ? -1 : 1);
    return {
      at: this.at,
      sum: {
        run: this.#run,
        clients: [...this.#clients.values()].sort(byKey),
        inbounds: [...this.#inbounds.values()].sort(byKey),
        outbounds: [...this.#outbounds.values()].sort(byKey),
      },
    };
  }
}

/** What one node was credited, and where its counters were followed to at last. */
class NodeSum {
  readonly #node: NodeTraffic['node'];
  readonly #clients = new Map<number, NodeTraffic['clients'][number]>();
  readonly #inbounds = new Map<number, NodeTraffic['inbounds'][number]>();
  readonly #notes: NodeTraffic['notes'][number][] = [];
  /** One sum covers at most this, so that a statement by the day stays exact. */
  readonly span: number;
  at = 0;

  constructor(node: NodeTraffic['node'], startedAt: number) {
    this.#node = node;
    this.span = spanStart(startedAt);
  }

  takes(at: number): boolean {
    return spanStart(at) === this.span;
  }

  add({ clients, inbounds, notes }: NodeTraffic, position: number): void {
    this.at = position;
    for (const [number, up, down, seenUp, seenDown, allTime, moved, high, online] of clients) {
      const [, upBefore, downBefore, , , , , , before] = this.#clients.get(number) ?? [0, 0, 0, 0, 0, 0, 0, 0, 0];
      // When a client was online counts only where it moved bytes.
      const at = up + down > 0 ? Math.max(before, online) : before;
      const seen = [seenUp, seenDown, allTime, moved, high] as const;
      this.#clients.set(number, [number, upBefore + up, downBefore + down, ...seen, at]);
    }
    for (const [id, up, down, ...seen] of inbounds) {
      const [, upBefore, downBefore] = this.#inbounds.get(id) ?? [0, 0, 0];
      this.#inbounds.set(id, [id, upBefore + up, downBefore + down, ...seen]);
    }
    this.#notes.push(...notes);
  }

  total(): { at: number; sum: NodeTraffic } {
    const byKey = (a: readonly [number, ...unknown[]], b: readonly [number, ...unknown[]]): number => a[0] - b[0];
    return {
      at: this.at,
      sum: {
        node: this.#node,
        clients: [...this.#clients.values()].sort(byKey),
        inbounds: [...this.#inbounds.values()].sort(byKey),
        notes: this.#notes,
      },
    };
  }
}

/**
 * The command that rolls up all measurements after `from` that happened before `before` (ms), or null when there are
 * none. Sums stop at every event that a sum may not cross, so that a replay over the sums gives the same state.
 */
export function planRollUp(
  log: Pick<EventLog, 'read' | 'measuredRoot'>,
  from: number,
  before: number,
): AnyCommand | null {
  const sums: { at: number; sum: TrafficSum }[] = [];
  const nodeSums: { at: number; sum: NodeTraffic }[] = [];
  let open: Sum | null = null;
  const nodes = new Map<NodeTraffic['node'], NodeSum>();
  const closeNode = (node: NodeTraffic['node']): void => {
    const sum = nodes.get(node);
    if (sum) nodeSums.push(sum.total());
    nodes.delete(node);
  };
  const closeRun = (): void => {
    if (open) sums.push(open.total());
    open = null;
  };
  const close = (): void => {
    closeRun();
    for (const node of nodes.keys()) closeNode(node);
  };
  let first: RecordedEvent | undefined;
  let last: RecordedEvent | undefined;
  let toTime = 0;
  reading: for (let page = log.read(from, PAGE); page.length > 0; page = log.read(page.at(-1)?.position ?? 0, PAGE)) {
    for (const event of page) {
      if (event.meta.at >= before) break reading;
      first ??= event;
      last = event;
      toTime = Math.max(toTime, event.meta.at); // clocks are set back
      if (BARRIERS.has(event.type)) close();
      if (event.type === 'NodeTrafficRecorded') {
        const { node } = event.data;
        if (nodes.get(node)?.takes(event.meta.at) === false) closeNode(node);
        const sum = nodes.get(node) ?? new NodeSum(node, event.meta.at);
        nodes.set(node, sum);
        sum.add(event.data, event.position);
      }
      if (event.type !== 'TrafficRecorded') continue;
      if (open && !open.takes(event.data.run, event.meta.at)) closeRun();
      open ??= new Sum(event.data.run, event.meta.at);
      open.add(event.data, event.position, event.meta.at);
    }
  }
  close();
  if (!first || !last) return null;
  const { root, count } = log.measuredRoot(first.position, last.position);
  if (count === 0) return null;
  const times = { fromTime: first.meta.at, toTime };
  return {
    type: 'RecordRollUp',
    data: { from: first.position, to: last.position, ...times, root, pruned: count, sums, nodeSums },
  };
}
