import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import type { Done } from '../../bus.js';
import { type NodeCommand } from '../../node/node.js';
import { leadsElsewhere, sameAddress } from '../../node/node-rules.js';
import type { NodeAddress, NodeHistories, Nodes } from '../../ports/nodes.js';
import { Rejection } from '../../rejection.js';
import { RateLimiter } from '../rate-limiter.js';
import { askedHow, NOTHING, type NodeAnswer, type Outcome, offline } from './node-question.js';

/** What is known of a node. While it is offline its load reads as 0. */
export interface NodeHealth extends Omit<NodeAnswer, 'status' | 'error'> {
  readonly status: 'unknown' | 'online' | 'offline';
  /** Unix seconds of the last question, also when it was not answered; 0 = never. */
  readonly lastHeartbeat: number;
  /** Of the last question: a node that is online may have missed one. */
  readonly lastError: string;
}

interface Parts {
  readonly nodes: Nodes;
  readonly histories: NodeHistories;
  readonly known: () => readonly Node[];
  readonly node: (id: NodeId) => Node | undefined;
  /** Whether it was online when that was last recorded. */
  readonly recorded: (id: NodeId) => boolean | undefined;
  /** The lasting name of this panel. */
  readonly ownId: () => string;
  /** Another node that is the same panel, and was so first. */
  readonly twin: (node: Node, panelId: string) => Node | undefined;
  /** In the name of the node that was asked. */
  readonly dispatch: (command: NodeCommand, node: Node) => Done | Rejection;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

const BEAT_MS = 5000;
/** Part of a beat by which it comes earlier or later, so that many panels do not ask in step. */
const JITTER = 0.1;
/** Over which the questions of a beat are spread. */
const SPREAD_MS = 4000;
const AT_ONCE = 32;
/** Of these, for nodes that did not answer last: they take their whole time, and the others shall not wait for it. */
const DOUBTFUL_AT_ONCE = 24;
const MISSES = 3;
/** So often a node comes back; one that does so again and again stays away. */
const RETURNS_OFTEN = { atOnce: 3, everyMs: 600_000 };

const UNKNOWN: NodeHealth = {
  ...{ status: 'unknown', lastHeartbeat: 0, lastError: '' },
  ...NOTHING,
};
interface Entry {
  readonly health: NodeHealth;
  /** Questions in a row that were not answered. */
  readonly misses: number;
  /** What the log says; undefined = nothing. */
  readonly recorded: boolean | undefined;
  readonly returns: RateLimiter;
}

/**
 * Asks every enabled node how it is, all the time. What it is told stays in memory; that a node went away or came back,
 * and which panel it is, become events.
 */
export class NodeWatch {
  readonly #parts: Parts;
  readonly #entries = new Map<NodeId, Entry>();
  readonly #asking = new Set<NodeId>();
  /** Nodes whose other answers make no sense, and why. */
  readonly #distrusted = new Map<NodeId, string>();
  #waiting: NodeId[] = [];
  #following: Subscription | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#following = this.#parts.changed$.subscribe((events) => {
      for (const event of events) this.#notice(event);
    });
    this.#beat();
  }

  /** Nothing is asked or recorded any more; answers that are on their way are dropped. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#following?.unsubscribe();
    this.#waiting = [];
  }

  health(id: NodeId): NodeHealth {
    return this.#entries.get(id)?.health ?? UNKNOWN;
  }

  /** Asks now, and counts what comes; also a node that is switched off. Never rejects. */
  async probe(node: Node): Promise<NodeAnswer> {
    const outcome = await this.#askNode(node);
    this.#take(node, outcome, true);
    return outcome.answer;
  }

  /** Asks what is no node yet, and keeps nothing. Never rejects. */
  async test(address: NodeAddress): Promise<NodeAnswer> {
    const { answer } = await this.#ask(address, null, () => undefined);
    return answer;
  }

  /** A node is offline for this reason, whatever its status says, until the reason is empty. */
  distrust(id: NodeId, reason: string): void {
    if ((this.#distrusted.get(id) ?? '') === reason) return;
    if (reason === '') {
      this.#distrusted.delete(id);
      this.#enqueue(id);
      this.#pump();
      return;
    }
    this.#distrusted.set(id, reason);
    const node = this.#parts.node(id);
    if (node?.enabled) this.#take(node, offline(reason, true), false);
  }

  #beat(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#beat(), BEAT_MS * (1 - JITTER + 2 * JITTER * Math.random())).unref();
    const due = this.#parts.known().flatMap(({ id, enabled }) => (enabled ? [id] : []));
    this.#release(due, SPREAD_MS / Math.max(1, due.length));
  }

  /** One after the other: the handshakes of a hundred connections at once would hold everything else up. */
  #release(due: readonly NodeId[], everyMs: number): void {
    const [id, ...rest] = due;
    if (this.#stopped || id === undefined) return;
    this.#enqueue(id);
    this.#pump();
    setTimeout(() => this.#release(rest, everyMs), everyMs).unref();
  }

  #notice(event: RecordedEvent): void {
    switch (event.type) {
      case 'NodeDeleted':
        this.#parts.histories.forget(event.data.node);
        this.#forget(event.data.node);
        break;
      case 'NodeDisabled':
        this.#forget(event.data.node);
        break;
      case 'NodeAdded':
      case 'NodeEnabled':
      case 'NodeUpdated':
      case 'NodeTokenReplaced': {
        const { node } = event.data;
        if (event.type !== 'NodeUpdated' || leadsElsewhere(event.data.changes)) this.#forget(node);
        if (!this.#parts.node(node)?.enabled) break;
        this.#enqueue(node);
        // Not inside of the append that told of it.
        setImmediate(() => this.#pump());
        break;
      }
      default:
    }
  }

  #forget(id: NodeId): void {
    this.#entries.delete(id);
    this.#distrusted.delete(id);
  }

  #enqueue(id: NodeId): void {
    if (!this.#waiting.includes(id) && !this.#asking.has(id)) this.#waiting.push(id);
  }

  #isDoubtful = (id: NodeId): boolean => (this.#entries.get(id)?.misses ?? 0) > 0;

  #pump(): void {
    if (this.#stopped) return;
    const doubtful = [...this.#asking].filter(this.#isDoubtful).length;
    let room = { all: AT_ONCE - this.#asking.size, doubtful: DOUBTFUL_AT_ONCE - doubtful };
    this.#waiting = this.#waiting.filter((id) => {
      const isDoubtful = this.#isDoubtful(id);
      if (room.all <= 0 || (isDoubtful && room.doubtful <= 0)) return true;
      room = { all: room.all - 1, doubtful: room.doubtful - (isDoubtful ? 1 : 0) };
      this.#asking.add(id);
      void this.#round(id).then((again) => {
        this.#asking.delete(id);
        if (again) this.#enqueue(id);
        this.#pump();
      });
      return false;
    });
  }

  /** One heartbeat. Resolves to whether it counts for nothing, because the node was sent elsewhere meanwhile. */
  async #round(id: NodeId): Promise<boolean> {
    const node = this.#parts.node(id);
    if (!node?.enabled) return false;
    const outcome = await this.#askNode(node);
    const current = this.#parts.node(id);
    if (!current?.enabled) return false;
    this.#take(node, outcome, false);
    return !sameAddress(current, node);
  }

  async #askNode(node: Node): Promise<Outcome> {
    const outcome = await this.#ask(node, node.identity, (panelId) => this.#parts.twin(node, panelId));
    const nonsense = this.#distrusted.get(node.id);
    return outcome.reading === null || nonsense === undefined ? outcome : offline(nonsense, true);
  }

  #ask(address: NodeAddress, known: Node['identity'], twin: (panelId: string) => Node | undefined): Promise<Outcome> {
    const { nodes, ownId, warn } = this.#parts;
    return askedHow(nodes, address, { known, ownId: ownId(), twin, warn });
  }

  /** `asked`: somebody did, so one answer is enough to say that the node is offline. */
  #take(node: Node, { answer, reading, final }: Outcome, asked: boolean): void {
    const { id } = node;
    const current = this.#parts.node(id);
    if (this.#stopped || !current || !sameAddress(current, node)) return;
    const before = this.#entries.get(id) ?? this.#begun(id);
    const lastHeartbeat = Math.floor(this.#parts.now() / 1000);
    if (reading !== null) {
      const { kind, panelId, ...values } = reading;
      this.#set(id, { ...before, misses: 0 }, { status: 'online', lastHeartbeat, lastError: '', ...values });
      this.#parts.histories.add(id, values);
      if (current.identity === null)
        this.#record(node, { type: 'RecordNodeIdentity', data: { asked: node, identity: { kind, panelId } } });
      if (before.recorded === false)
        before.returns.try(() => {
          const isRecorded = this.#record(node, { type: 'RecordNodeOnline', data: { asked: node } });
          if (isRecorded) this.#recorded(id, true);
          return isRecorded;
        });
      return;
    }
    const misses = before.misses + 1;
    // A node that never answered is not waited for.
    const isOver = final || asked || misses >= MISSES || before.recorded === false || current.identity === null;
    const values = isOver ? { ...NOTHING, status: 'offline' as const } : {};
    const { coreVersion } = before.health;
    this.#set(
      id,
      { ...before, misses },
      { ...before.health, ...values, coreVersion, lastHeartbeat, lastError: answer.error },
    );
    if (!isOver || before.recorded === false) return;
    if (this.#record(node, { type: 'RecordNodeOffline', data: { asked: node, reason: answer.error } }))
      this.#recorded(id, false);
  }

  #begun(id: NodeId): Entry {
    const returns = new RateLimiter(this.#parts.now, RETURNS_OFTEN);
    return { health: UNKNOWN, misses: 0, recorded: this.#parts.recorded(id), returns };
  }

  #set(id: NodeId, { misses, recorded, returns }: Omit<Entry, 'health'>, health: NodeHealth): void {
    this.#entries.set(id, { misses, recorded, returns, health });
  }

  #recorded(id: NodeId, recorded: boolean): void {
    const entry = this.#entries.get(id);
    if (entry) this.#entries.set(id, { ...entry, recorded });
  }

  /** Whether something was appended. */
  #record(node: Node, command: NodeCommand): boolean {
    const done = this.#parts.dispatch(command, node);
    // What cannot be written now is said by an alarm, and tried again with the next answer.
    return !(done instanceof Rejection) && done.events.length > 0;
  }
}
