import { setImmediate as breathe } from 'node:timers/promises';
import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { sameAddress } from '../../node/node-rules.js';
import { NodeError } from '../../ports/nodes.js';
import type { AskedNode, WantedInbound } from '../../ports/remote-panel.js';
import { Retries } from './backoff.js';
import { NodeGuests } from './connected-clients.js';
import { NodeRestarts } from './core-restarts.js';
import { NodeCuts } from './disconnect-tracker.js';
import { NodeOrders } from './inbound-sync.js';
import { identityFlaw, identityOf } from './node-question.js';
import type { NodeTalkParts } from './parts.js';
import { planNode } from './plan.js';
import { takeOff, type Withdrawal } from './remove-from-node.js';
import { NodeTrouble } from './sync-failures.js';
import { NodeBooks } from './sync-recorder.js';

/** How the talk with a node goes. Times in ms since 1970. */
export interface TalkState {
  /** When it was last listed; 0 = never since the start of the panel. */
  readonly listedAt: number;
  /** Why the last round came to nothing; empty while all is well. */
  readonly error: string;
  /** Since when it comes to nothing; 0 = it does not. */
  readonly failingSince: number;
  /** Rounds in a row that came to nothing. */
  readonly tries: number;
  /** When it is asked next; 0 = it rests. */
  readonly nextAt: number;
}

/** Between two listings of a node, whatever the settings say and however long they take, in ms. */
const LONGEST_MS = 10_000;
/** Of its time at most this part is spent with one node. */
const SHARE = 4;
/** While it waits: how often it is seen to whether the node is back, in ms. */
const LOOK_MS = 1_000;
/** Listings and tellings of one round: what was told is looked at once more. */
const TURNS = 4;
/** A node that answered nonsense so often in a row is offline for that reason. */
const NONSENSE = 2;
/** The same while it is waited for that something there stands still, in ms. */
const SOON_MS = 2_000;

/** One node: told what it shall have, asked what it has, again and again. One round at a time. */
export class NodeTalk {
  readonly #parts: NodeTalkParts;
  readonly #id: NodeId;
  readonly #retries: Retries<InboundId>;
  readonly #books: NodeBooks;
  readonly #guests: NodeGuests;
  readonly #orders: NodeOrders;
  readonly #cuts: NodeCuts;
  readonly #restarts: NodeRestarts;
  readonly #trouble: NodeTrouble;
  /** Told whether the counters of the node were recorded. */
  readonly #waiting: ((counted: boolean) => void)[] = [];
  /** Breaks off what is under way. */
  #signal = new AbortController().signal;

  constructor(parts: NodeTalkParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
    this.#retries = new Retries(parts.now, parts.chance);
    this.#trouble = new NodeTrouble(parts, id);
    this.#books = new NodeBooks(parts, id, this.#isCurrent);
    this.#guests = new NodeGuests(parts, id);
    const asking = { books: this.#books, retries: this.#retries, isCurrent: this.#isCurrent };
    this.#orders = new NodeOrders(parts, id, asking);
    this.#cuts = new NodeCuts(() => parts.node(id)?.identity?.kind === '3x-ui');
    this.#restarts = new NodeRestarts(parts, this.#cuts);
  }

  /** Somebody has changed something about the node: nothing that failed before counts. */
  forgive(): void {
    this.#retries.forgive();
    this.#orders.forgive();
  }

  /** Whether it waits for its time after a failure. */
  isWaiting(): boolean {
    return this.#retries.waiting() > 0 && !this.#trouble.isBack();
  }

  /** Resolves when the counters of a listing that is asked for after this call were recorded; to false when that failed. */
  counted(): Promise<boolean> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** Something was decided for the node: it is worth a try before the waiting time is over. */
  hasten(): void {
    this.#retries.hasten();
  }

  state(): Omit<TalkState, 'nextAt'> {
    const { tries, since } = this.#retries.whole;
    return { listedAt: this.#books.listedAt, error: this.#trouble.error, failingSince: since, tries };
  }

  /** Until when an inbound that was refused waits, ms since 1970; 0 = the next round has it. */
  retryAt(inbound: InboundId): number {
    const waiting = this.#retries.waiting();
    const whole = waiting > 0 ? this.#parts.now() + waiting : 0;
    return Math.max(whole, this.#orders.until(inbound));
  }

  /**
   * One round, until it is broken off. Resolves to the ms until the next; null = it rests until something changes. Never
   * rejects.
   */
  async round(signal: AbortSignal): Promise<number | null> {
    this.#signal = signal;
    const { node: find, online, now } = this.#parts;
    const node = find(this.#id);
    if (!node?.enabled || node.identity === null) {
      online(this.#id, []);
      return null;
    }
    // One that could not be reached is back before its time is over.
    if (this.isWaiting()) {
      this.#trouble.complain(node, this.#retries.whole);
      return Math.min(this.#retries.waiting(), LOOK_MS);
    }
    const began = now();
    try {
      await this.#converge(node);
      this.#retries.succeeded();
      if (!this.#isCurrent(node)) return 0;
      this.#parts.distrust(this.#id, '');
      this.#trouble.over(node);
    } catch (error) {
      for (const resolve of this.#waiting.splice(0)) resolve(false);
      this.#trouble.warn(node, error);
      // What came too late, of a place where the node is not any more, or was broken off, is no failure of it.
      if (!this.#isCurrent(node)) return 0;
      online(this.#id, []);
      this.#retries.failed(error instanceof NodeError && error.kind !== 'unreachable' && error.kind !== 'timeout');
      if (isNonsense(error) && this.#retries.whole.tries >= NONSENSE) this.#parts.distrust(this.#id, error.message);
      this.#trouble.came(node, error, this.#retries.whole);
    }
    this.#trouble.complain(node, this.#retries.whole);
    const usual = this.#cuts.isOpen() ? Math.min(SOON_MS, this.#parts.period()) : this.#parts.period();
    const period = Math.min(LONGEST_MS, Math.max(usual, SHARE * (now() - began)));
    return Math.max(this.#retries.waiting(), period);
  }

  async #converge(node: Node): Promise<void> {
    const { panel } = this.#parts;
    await this.#meet(node);
    let shown: readonly WantedInbound[] = [];
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const at = this.#parts.now();
      const waiting = this.#waiting.length;
      const listing = await panel.listing(this.#asked(node));
      const wanted = await this.#parts.wanted(this.#id);
      const had = this.#orders.had();
      shown = wanted.inbounds;
      await breathe();
      const { newClients, newInbounds } = await this.#books.count(node, listing, wanted.inbounds, had);
      for (const resolve of this.#waiting.splice(0, waiting)) resolve(true);
      if (!this.#isCurrent(node)) return;
      await this.#cuts.look(wanted.inbounds, listing, had, at);
      const plan = await planNode(wanted.inbounds, listing, {
        had,
        gate: this.#cuts,
        leaving: (id) => this.#parts.followed.leaving(id),
        used: ({ number }) => this.#parts.used.client(number),
        usedBy: (id) => this.#parts.used.inbound(id),
      });
      this.#books.unmanaged(node, plan);
      let acted = false;
      for (const inbound of plan.inbounds) {
        // Ten thousand clients take their time at every step: others have theirs in between.
        await breathe();
        if (!this.#isCurrent(node)) return;
        const found = { position: wanted.position, newClients, newInbounds };
        if (await this.#orders.settle(this.#asked(node), inbound, found)) acted = true;
      }
      if (!acted) break;
    }
    await this.#restarts.ifDue(this.#asked(node));
    // What it does not tell of its guests is no reason to tell it everything again.
    await breathe();
    await this.#guests.look(this.#asked(node), shown, this.#isCurrent).catch((error: unknown) => {
      if (!(error instanceof NodeError) || isNonsense(error)) throw error;
      this.#parts.online(this.#id, []);
    });
  }

  /** Rejects with `NodeError` when it is not the panel that is meant. */
  async #meet(node: Node): Promise<void> {
    const { panel, ownId, twin } = this.#parts;
    const said = identityOf(await panel.panelId(this.#asked(node)));
    const flaw = identityFlaw(said, { known: node.identity, ownId: ownId(), twin: twin(node, said.panelId) });
    if (flaw !== null) throw new NodeError('said-no', flaw);
  }

  /**
   * Takes away there what is ours, for a node that is not to be one any more, until it is broken off. Not while a round is
   * under way. Never rejects.
   */
  async withdraw(signal: AbortSignal): Promise<Withdrawal> {
    this.#signal = signal;
    const node = this.#parts.node(this.#id);
    const had = this.#orders.had().filter(({ tags }) => tags.length > 0);
    const there = { gone: 0, remaining: had.filter(({ removed }) => !removed).length, kept: 0 };
    if (!node?.enabled || node.identity === null || there.remaining === 0) return there;
    try {
      await this.#meet(node);
      const left = await takeOff({ ...node, signal }, { parts: this.#parts, books: this.#books, had });
      // If it is not deleted after all, what turns up there under these names is not ours because of that.
      if (left.remaining === 0) this.#orders.forget();
      return left;
    } catch (error) {
      this.#trouble.warn(node, error);
      return there;
    }
  }

  #asked = (node: Node): Node & AskedNode => ({ ...node, signal: this.#signal });

  #isCurrent = (asked: Node): boolean => {
    const current = this.#parts.node(this.#id);
    return current !== undefined && current.enabled && sameAddress(current, asked) && !this.#signal.aborted;
  };
}

/** Whether what answered is no panel, or one that is out of its mind. */
function isNonsense(error: unknown): error is NodeError {
  return error instanceof NodeError && (error.kind === 'not-an-envelope' || error.kind === 'too-large');
}
