import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import type { NodeTalkParts } from './parts.js';
import { NodeTalk, type TalkState } from './remote-node.js';
import type { Withdrawal } from './remove-from-node.js';

interface Parts extends NodeTalkParts {
  readonly nodes: () => readonly Node[];
  /** The node that an event has something for. */
  readonly concerned: (event: RecordedEvent) => NodeId | undefined;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  /** For taking everything off a node, whatever it does, in ms. */
  readonly withdrawMs: number;
}

interface Entry {
  readonly talk: NodeTalk;
  timer: NodeJS.Timeout | undefined;
  round: Promise<void> | null;
  /** Breaks off what is under way. */
  off: AbortController;
  leaving: Promise<Withdrawal> | null;
  again: boolean;
  /** What fails in the round that is under way does not count: it is tried again without waiting. */
  forgiven: boolean;
  nextAt: number;
}

/** Nodes that are talked to at once. */
const AT_ONCE = 8;
/** How long a change waits for the counters of nodes, in ms. */
const COLLECT_MS = 2_000;
/** From the end of taking everything off a node to the next round with it, if it is not deleted, in ms. */
const AFTER_MS = 1_000;

/**
 * Keeps every node equal to what the log asks for, and counts what flowed there: a round as soon as something was
 * decided, and one every few seconds. It compares states and counts no events, so a replay moves nothing.
 */
export class NodeSync {
  readonly #parts: Parts;
  readonly #entries = new Map<NodeId, Entry>();
  readonly #queue: (() => void)[] = [];
  #talking = 0;
  #following: Subscription | null = null;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#following = this.#parts.changed$.subscribe((events) => this.#notice(events));
    for (const { id } of this.#parts.nodes()) this.#wake(id, false);
  }

  /** Nothing is told, asked or recorded any more once what is under way has ended; that is broken off. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#following?.unsubscribe();
    for (const { timer, off } of this.#entries.values()) {
      clearTimeout(timer);
      off.abort();
    }
    await Promise.all([...this.#entries.values()].flatMap(({ round }) => round ?? []));
  }

  /** One round with a node now. Two at once are one. Never rejects. */
  async round(node: NodeId): Promise<void> {
    const entry = this.#entry(node);
    clearTimeout(entry.timer);
    this.#start(entry, node);
    await entry.round;
  }

  /**
   * Takes off a node what was put there, before it is deleted, within the time that it has for that. What is under way with
   * it is broken off, and others are not waited for. Never rejects.
   */
  withdraw(node: NodeId): Promise<Withdrawal> {
    const entry = this.#entry(node);
    return (entry.leaving ??= this.#withdraw(entry, node));
  }

  async #withdraw(entry: Entry, node: NodeId): Promise<Withdrawal> {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      entry.off.abort();
    }, this.#parts.withdrawMs);
    entry.off.abort();
    while (entry.round) await entry.round;
    clearTimeout(entry.timer);
    entry.off = new AbortController();
    if (this.#stopped || isLate) entry.off.abort();
    const left = entry.talk.withdraw(entry.off.signal);
    // No round begins meanwhile, and one does after it if the node is still there.
    entry.round = left.then(() => {
      clearTimeout(late);
      entry.round = null;
      entry.leaving = null;
      if (!this.#stopped && this.#entries.get(node) === entry) this.#later(entry, node, AFTER_MS);
    });
    return left;
  }

  /** How the talk with a node goes. */
  state(node: NodeId): TalkState {
    const entry = this.#entries.get(node);
    if (!entry) return { listedAt: 0, error: '', failingSince: 0, tries: 0, nextAt: 0 };
    return { ...entry.talk.state(), nextAt: entry.nextAt };
  }

  /** When an inbound that its node refused is looked at or tried again: ms since 1970; 0 = at once. */
  retryAt(node: NodeId, inbound: InboundId): number {
    const entry = this.#entries.get(node);
    return entry ? Math.max(entry.talk.retryAt(inbound), entry.nextAt) : 0;
  }

  /** Tries at once what failed or was refused before, without its waiting time: an admin asks for it. */
  retry(node: NodeId): void {
    this.#wake(node, true);
  }

  /**
   * Records what these nodes have counted up to now. A node that is not there, or does not answer within two seconds, is not
   * waited for: what it says later counts then. Never rejects.
   */
  async collect(nodes: readonly NodeId[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), COLLECT_MS);
    });
    await Promise.all(
      nodes.map(async (node) => {
        if (await Promise.race([this.#counted(node), late])) return;
        const name = this.#parts.node(node)?.name;
        this.#parts.warn('the counters of a node could not be read before a change; they count after it', {
          node: name,
        });
      }),
    );
    clearTimeout(timer);
  }

  async #counted(node: NodeId): Promise<boolean> {
    const entry = this.#entry(node);
    if (this.#stopped || entry.leaving || entry.talk.isWaiting() || !this.#parts.node(node)?.identity) return false;
    const counted = entry.talk.counted();
    if (entry.round) entry.again = true;
    else this.#later(entry, node, 0);
    return counted;
  }

  #notice(events: readonly RecordedEvent[]): void {
    const concerned = new Map<NodeId, boolean>();
    for (const event of events) {
      switch (event.type) {
        case 'NodeAdded':
        case 'NodeUpdated':
        case 'NodeTokenReplaced':
        case 'NodeEnabled':
        case 'NodeDisabled':
        case 'NodeIdentified':
        case 'NodeWentOnline':
          concerned.set(event.data.node, true);
          break;
        case 'NodeDeleted':
          this.#forget(event.data.node);
          concerned.delete(event.data.node);
          break;
        default: {
          const node = this.#parts.concerned(event);
          if (node !== undefined && !concerned.has(node)) concerned.set(node, false);
        }
      }
    }
    for (const [node, forgiven] of concerned) this.#wake(node, forgiven);
  }

  #forget(node: NodeId): void {
    clearTimeout(this.#entries.get(node)?.timer);
    this.#entries.delete(node);
    this.#parts.online(node, []);
  }

  #wake(node: NodeId, forgiven: boolean): void {
    if (this.#stopped || !this.#parts.node(node)) return;
    const entry = this.#entry(node);
    if (forgiven) entry.talk.forgive();
    else entry.talk.hasten();
    // Not inside of the append that told of it, and once for all that comes meanwhile.
    if (entry.round) {
      entry.again = true;
      entry.forgiven ||= forgiven;
    } else this.#later(entry, node, 0);
  }

  #entry(node: NodeId): Entry {
    const known = this.#entries.get(node);
    if (known) return known;
    const talk = new NodeTalk(this.#parts, node);
    const idle = { timer: undefined, round: null, leaving: null, again: false, forgiven: false, nextAt: 0 };
    const entry: Entry = { talk, off: new AbortController(), ...idle };
    this.#entries.set(node, entry);
    return entry;
  }

  #later(entry: Entry, node: NodeId, ms: number): void {
    clearTimeout(entry.timer);
    entry.nextAt = this.#parts.now() + ms;
    entry.timer = setTimeout(() => this.#start(entry, node), ms).unref();
  }

  #start(entry: Entry, node: NodeId): void {
    if (this.#stopped || this.#entries.get(node) !== entry) return;
    if (entry.round) {
      entry.again = true;
      return;
    }
    entry.again = false;
    entry.forgiven = false;
    entry.off = new AbortController();
    const { signal } = entry.off;
    entry.round = this.#inTurn(signal, () => entry.talk.round(signal)).then((ms) => {
      entry.round = null;
      entry.nextAt = 0;
      if (this.#stopped || this.#entries.get(node) !== entry) return;
      if (entry.forgiven) entry.talk.forgive();
      if (entry.again) this.#later(entry, node, 0);
      else if (ms !== null) this.#later(entry, node, ms);
    });
  }

  async #inTurn(signal: AbortSignal, round: () => Promise<number | null>): Promise<number | null> {
    while (this.#talking >= AT_ONCE && !signal.aborted) await this.#turn(signal);
    if (signal.aborted) {
      // Whoever leaves takes nobody's turn.
      this.#queue.shift()?.();
      return null;
    }
    this.#talking += 1;
    try {
      return await round();
    } finally {
      this.#talking -= 1;
      this.#queue.shift()?.();
    }
  }

  /** Resolves when one of the rounds that are under way has ended, or this one is not to be any more. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(go), 1);
        resolve();
      };
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#queue.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
