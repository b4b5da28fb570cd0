import type { RecordedEvent } from '../../events/catalog.js';
import { membersOf } from '../../events/client/members.js';
import type { ClockSetback, Entry, Flow, LedgerStore } from '../../events/log/ledger-store.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { Days } from '../../lib/time/days.js';

interface OpenFlow {
  readonly client: number;
  readonly day: number;
  readonly node: number;
  position: number;
  up: number;
  down: number;
}

/** An answer of the ledger, or why there is none: it is still being built, or it is wrong even after a rebuild. */
export type LedgerAnswer<T> = { readonly answer: T } | { readonly unavailable: 'unready' | 'wrong' };

/** After this many events the ledger is written. A panel that was killed reads them again. */
const MAX_UNWRITTEN_EVENTS = 20_000;
/** It is also written when this many lines are in memory. */
const MAX_UNWRITTEN_LINES = 10_000;

/**
 * The bytes of each client by day and machine, and all other changes of its counter: the source of statements. It is a fold of
 * the log with a store for older lines, so that a year of thousands of clients is not kept in memory.
 *
 * All lines are differences, in the order of the log. When the clock is set back, earlier lines get the day of the later ones,
 * so the balance of a day is always the counter at one position.
 */
export class Ledger {
  readonly #store: LedgerStore;
  readonly #days: Days;
  /** The clients to follow; null = all. */
  readonly #only: ReadonlySet<number> | null;
  /** The flows of the current day: one for each client and machine. */
  readonly #open = new Map<number, OpenFlow[]>();
  #flows: Flow[] = [];
  #entries: Entry[] = [];
  #setbacks: ClockSetback[] = [];
  /** Where the clock was set back, each with the earliest day of all later lines; null when it must be computed. */
  #latest: readonly ClockSetback[] | null = null;
  /** The bytes of each client on the day that was asked for last. */
  #counted: { readonly day: number; readonly bytes: Map<number, number> } | null = null;
  /** The events of the current command that can cause a reset. */
  #rules: { correlation: string; readonly byId: Map<string, Entry['rule']> } = { correlation: '', byId: new Map() };
  /** The day of the last line. */
  #day: number;
  #position: number;

  constructor(store: LedgerStore, zone: string, only: ReadonlySet<number> | null = null) {
    this.#store = store;
    this.#days = new Days(zone);
    this.#only = only;
    this.#position = store.position;
    this.#day = store.day;
  }

  get days(): Days {
    return this.#days;
  }

  get position(): number {
    return this.#position;
  }

  /** Takes events in the order of the log. There are no other events up to the position `to`. */
  apply(events: readonly RecordedEvent[], to: number): void {
    for (const event of events)
      if (event.position > this.#position) membersOf(event).forEach((member) => this.#apply(member));
    this.#position = Math.max(this.#position, to);
  }

  /** Whether it should be written now. */
  get due(): boolean {
    const waiting = this.#flows.length + this.#entries.length;
    return waiting >= MAX_UNWRITTEN_LINES || this.#position - this.#store.position >= MAX_UNWRITTEN_EVENTS;
  }

  /**
   * Writes lines to the store: all of them, or all flows and about `most` entries, up to the end of an event. Returns whether
   * there are more. When the store throws, the error is passed on and nothing is lost.
   */
  write(most = Number.POSITIVE_INFINITY): boolean {
    if (this.#position === this.#store.position) return false;
    const flows = [...this.#flows, ...[...this.#open.values()].flat()];
    const last = this.#lastOfPart(flows, most);
    const end = last ? firstAfter(this.#entries, last.position) : this.#entries.length;
    const isPart = end < this.#entries.length;
    const { position, day } = last && isPart ? last : { position: this.#position, day: this.#day };
    const entries = this.#entries.slice(0, end);
    const setbacks = this.#setbacks.filter((setback) => setback.position <= position);
    this.#store.write(position, { flows, entries, setbacks, day });
    this.#open.clear();
    this.#flows = [];
    this.#entries = this.#entries.slice(end);
    this.#setbacks = this.#setbacks.slice(setbacks.length);
    return isPart;
  }

  /**
   * The last line that is written with these flows, if about `most` entries are; undefined = all are written. A flow is the sum
   * up to its position, so no line of a later write may be before it.
   */
  #lastOfPart(flows: readonly Flow[], most: number): Flow | Entry | undefined {
    let last: Flow | Entry | undefined = this.#entries[most - 1];
    if (last) for (const flow of flows) if (flow.position > last.position) last = flow;
    return last;
  }

  /** In the order of the log. */
  flowsOf(client: number): readonly Flow[] {
    const waiting = this.#flows.filter((flow) => flow.client === client);
    return this.#dated([...this.#store.flowsOf(client), ...waiting, ...(this.#open.get(client) ?? [])]);
  }

  entriesOf(client: number): readonly Entry[] {
    return this.#dated([...this.#store.entriesOf(client), ...this.#entries.filter((entry) => entry.client === client)]);
  }

  /**
   * The bytes of each client on a day. The first call for a day reads the store; after that they are counted. Days as the clock
   * of the panel showed them: a clock that was set back does not move bytes to an earlier day.
   */
  bytesOn(day: number): ReadonlyMap<number, number> {
    if (this.#counted?.day === day) return this.#counted.bytes;
    const bytes = new Map<number, number>();
    for (const flow of [...this.#store.flowsSince(day), ...this.#flows, ...[...this.#open.values()].flat()])
      if (flow.day === day) add(bytes, flow);
    this.#counted = { day, bytes };
    return bytes;
  }

  /** Copies of lines, each with the earliest day of itself and all later lines. */
  #dated<L extends Flow | Entry>(lines: readonly L[]): readonly L[] {
    this.#latest ??= earliestFrom([...this.#store.setbacks, ...this.#setbacks]);
    const setbacks = this.#latest;
    return lines.map((line) => {
      const next = setbacks[firstAfter(setbacks, line.position)];
      return { ...line, day: Math.min(line.day, next?.day ?? line.day) };
    });
  }

  #apply(event: RecordedEvent): void {
    if (event.meta.correlationId !== this.#rules.correlation) {
      this.#rules = { correlation: event.meta.correlationId, byId: new Map() };
    }
    switch (event.type) {
      case 'TrafficRecorded':
        for (const [client, up, down] of event.data.clients) this.#flow(event, client, 0, up, down);
        break;
      case 'NodeTrafficRecorded':
        for (const [client, up, down] of event.data.clients) this.#flow(event, client, event.data.node, up, down);
        break;
      case 'InboundTrafficPeriodStarted':
        this.#rules.byId.set(event.id, 'period');
        break;
      case 'ClientRenewed':
        this.#rules.byId.set(event.id, 'renewal');
        this.#addEntry(event, event.data.client, 'renewed');
        break;
      case 'ClientAdded':
        this.#addEntry(event, event.data.client, 'added', zero, event.data.inbound);
        break;
      case 'ClientDeleted':
        this.#addEntry(event, event.data.client, 'deleted');
        break;
      case 'ClientIdentityChanged':
        if (event.data.emailChanged) this.#addEntry(event, event.data.client, 'renamed');
        break;
      case 'ClientHistoryImported':
        this.#addEntry(event, event.data.client, 'imported', event.data);
        break;
      case 'ClientTrafficReset':
        this.#addEntry(event, event.data.client, 'reset', minus(zero, event.data));
        break;
      case 'ClientTrafficAdjusted':
        this.#addEntry(event, event.data.client, 'adjusted', minus(event.data, event.data.before));
        break;
      case 'ClientTrafficTransferred': {
        const { client, fromClient: from } = event.data;
        this.#addEntry(event, from, 'transferred out', minus(zero, event.data), client);
        this.#addEntry(event, client, 'transferred in', event.data, from);
        break;
      }
      default:
    }
  }

  #flow({ position, meta }: RecordedEvent, client: number, node: number, up: number, down: number): void {
    if (up + down === 0) return;
    const day = this.#turn(position, meta.at);
    if (this.#only?.has(client) === false) return;
    if (this.#counted?.day === day) add(this.#counted.bytes, { client, up, down });
    const flows = this.#open.get(client);
    const flow = flows?.find((one) => one.node === node);
    if (flow) {
      flow.position = position;
      flow.up += up;
      flow.down += down;
    } else {
      const started = { client, day, node, position, up, down };
      if (flows) flows.push(started);
      else this.#open.set(client, [started]);
    }
  }

  /** The day of the next line. When it differs from the day before, the open flows end. */
  #turn(position: number, at: number): number {
    const day = this.#days.of(at);
    if (day === this.#day) return day;
    for (const flows of this.#open.values()) this.#flows.push(...flows);
    this.#open.clear();
    if (day < this.#day) {
      this.#setbacks.push({ position, day });
      this.#latest = null;
    }
    this.#day = day;
    return day;
  }

  #addEntry(
    { position, meta }: RecordedEvent,
    client: number,
    kind: Entry['kind'],
    { up, down }: Counter = zero,
    other = 0,
  ): void {
    const day = this.#turn(position, meta.at);
    if (this.#only?.has(client) === false) return;
    const rule = (meta.causationId !== null && this.#rules.byId.get(meta.causationId)) || '';
    // The flows before and after an entry are kept apart.
    this.#flows.push(...(this.#open.get(client) ?? []));
    this.#open.delete(client);
    this.#entries.push({ client, position, at: meta.at, day, kind, up, down, other, rule });
  }
}

function add(bytes: Map<number, number>, { client, up, down }: Pick<Flow, 'client' | 'up' | 'down'>): void {
  bytes.set(client, (bytes.get(client) ?? 0) + up + down);
}

/** Each clock setback with the earliest day of itself and all later ones. */
function earliestFrom(setbacks: readonly ClockSetback[]): readonly ClockSetback[] {
  let day = Number.POSITIVE_INFINITY;
  return setbacks
    .toReversed()
    .map((one) => {
      day = Math.min(day, one.day);
      return { position: one.position, day };
    })
    .toReversed();
}

/** The index of the first one after a position. */
function firstAfter(lines: readonly { readonly position: number }[], position: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.position ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

function minus(a: Counter, b: Counter): Counter {
  return { up: a.up - b.up, down: a.down - b.down };
}
