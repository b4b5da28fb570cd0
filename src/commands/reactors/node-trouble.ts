import type { NodeId } from '../../events/ids.js';
import type { Node } from '../../events/node-document.js';
import { NodeError } from '../ports/nodes.js';
import type { NodeTalkParts } from './node-parts.js';

/** A talk that failed so often in a row, or for so long in ms, is written down; a hiccup is not. */
const TRIES = 3;
const LASTING_MS = 20_000;
/** Reasons that change all the time are written down no more often than this, in ms. */
const REASONS_MS = 60_000;
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

  constructor(parts: NodeTalkParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
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
    this.#error = error instanceof NodeError ? error.message : UNKNOWN;
    this.#unreachableAt = error instanceof NodeError && error.kind === 'unreachable' ? now() : 0;
    // That a node does not answer at all is recorded by who asks it how it is.
    if ((tries < TRIES && now() - since < LASTING_MS) || answeredAt(this.#id) === 0) return;
    const before = failing(this.#id);
    if (before?.reason === this.#error || (before && now() - before.since < REASONS_MS)) return;
    dispatch({ type: 'RecordNodeSyncFailing', data: { asked: node, reason: this.#error } }, node);
  }

  over(node: Node): void {
    this.#error = '';
    this.#unreachableAt = 0;
    this.#warned = '';
    if (this.#parts.failing(this.#id))
      this.#parts.dispatch({ type: 'RecordNodeSyncRecovered', data: { asked: node } }, node);
  }

  /** Says once that something does not arrive, and that it does again. */
  complain(node: Node, { since }: Failures): void {
    const { outgoing, behind, now } = this.#parts;
    const late = now() - BEHIND_MS;
    const entries = outgoing(this.#id);
    if (since > 0) {
      if (since <= late && entries.some(({ waiting }) => waiting.length > 0)) behind(node, this.#error);
      return;
    }
    const stuck = entries.find(({ refused }) => refused !== null && refused.since <= late);
    behind(node, stuck?.refused ? `${stuck.tag}: ${stuck.refused.reason}` : null);
  }
}
