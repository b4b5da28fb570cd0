import type { NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { NodeError } from '../../ports/nodes.js';
import { Rejection } from '../../rejection.js';
import { RateLimiter } from '../rate-limiter.js';
import type { NodeTalkParts } from './parts.js';

/** A talk that failed so often in a row, or for so long in ms, is written down; a hiccup is not. */
const TRIES = 3;
const LASTING_MS = 20_000;
/** Reasons that change all the time are written down no more often than this, in ms. */
const REASONS_MS = 60_000;
/** One that has been well for so long, in ms, is so; one that fails in between was not. */
const WELL_MS = 60_000;
/** So that a node that comes and goes is said to fail, and not each time. */
const FAILING_OFTEN = { atOnce: 2, everyMs: 600_000 };
const WELL_OFTEN = { atOnce: 1, everyMs: 600_000 };
/** After this long it is said that a node is behind. */
const BEHIND_MS = 60_000;
const UNKNOWN = 'the talk with the node failed';

/** How often the talk failed in a row, and since when: ms since 1970, 0 = it did not. */
interface Failures {
  readonly tries: number;
  readonly since: number;
}

/** Why the talk with a node comes to nothing: kept, recorded when it lasts, and told. */
export class NodeTrouble {
  readonly #parts: NodeTalkParts;
  readonly #id: NodeId;
  #error = '';
  #unreachableAt = 0;
  #warned = '';
  /** Since when it has been well, ms since 1970; 0 = it is not. */
  #wellSince = 0;
  /** Whether it was said that it is behind. */
  #behind = false;
  readonly #failures: RateLimiter;
  readonly #recoveries: RateLimiter;
  readonly #catchings: RateLimiter;

  constructor(parts: NodeTalkParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
    this.#failures = new RateLimiter(parts.now, FAILING_OFTEN);
    this.#recoveries = new RateLimiter(parts.now, WELL_OFTEN);
    this.#catchings = new RateLimiter(parts.now, WELL_OFTEN);
  }

  /** Why the last round came to nothing; empty while all is well. */
  get error(): string {
    return this.#error;
  }

  /** Whether one that could not be reached has answered since. */
  isBack(): boolean {
    return this.#unreachableAt > 0 && this.#parts.answeredAt(this.#id) > this.#unreachableAt;
  }

  /** For the log of the panel, once for each kind: what no node should be able to cause. */
  warn(node: Node, error: unknown): void {
    const text = String(error);
    if (error instanceof NodeError || text === this.#warned) return;
    this.#warned = text;
    this.#parts.warn('the talk with a node failed', { node: node.name, err: error });
  }

  came(node: Node, error: unknown, { tries, since }: Failures): void {
    const { now, answeredAt, failing, dispatch } = this.#parts;
    this.#wellSince = 0;
    this.#error = error instanceof NodeError ? error.message : UNKNOWN;
    this.#unreachableAt = error instanceof NodeError && error.kind === 'unreachable' ? now() : 0;
    // That a node does not answer at all is recorded by who asks it how it is.
    if ((tries < TRIES && now() - since < LASTING_MS) || answeredAt(this.#id) === 0) return;
    const before = failing(this.#id);
    if (before?.reason === this.#error || (before && now() - before.since < REASONS_MS)) return;
    const data = { asked: node, reason: this.#error };
    this.#failures.try(() => !(dispatch({ type: 'RecordNodeSyncFailed', data }, node) instanceof Rejection));
  }

  over(node: Node): void {
    const { now, failing, dispatch } = this.#parts;
    this.#error = '';
    this.#unreachableAt = 0;
    this.#wellSince = Math.min(this.#wellSince || now(), now());
    if (now() - this.#wellSince < WELL_MS) return;
    this.#warned = '';
    if (!failing(this.#id)) return;
    const data = { asked: node };
    this.#recoveries.try(() => !(dispatch({ type: 'RecordNodeSyncRecovered', data }, node) instanceof Rejection));
  }

  /** Says once that something does not arrive, and that it does again. */
  complain(node: Node, { since }: Failures): void {
    const { outgoing, now } = this.#parts;
    const late = now() - BEHIND_MS;
    const entries = outgoing(this.#id);
    if (since > 0) {
      if (since <= late && entries.some(({ waiting }) => waiting.length > 0)) this.#isBehind(node, this.#error);
      return;
    }
    const stuck = entries.find(({ refused }) => refused !== null && refused.since <= late);
    if (stuck?.refused) this.#isBehind(node, `${stuck.tag}: ${stuck.refused.reason}`);
    else if (this.#behind)
      this.#catchings.try(() => {
        this.#behind = false;
        this.#parts.behind(node, null);
        return true;
      });
  }

  #isBehind(node: Node, why: string): void {
    this.#behind = true;
    this.#parts.behind(node, why);
  }
}
