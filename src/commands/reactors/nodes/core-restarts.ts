import type { Node } from '../../../events/node/node-document.js';
import { NodeError } from '../../ports/nodes.js';
import type { AskedNode } from '../../ports/remote-panel.js';
import type { NodeCuts } from './disconnect-tracker.js';
import type { NodeTalkParts } from './parts.js';

/** Between two restarts of the core of a node at least, in ms; longer, up to the second, after each that it declined. */
const APART_MS = 15_000;
const LONGEST_MS = 3_600_000;

/** Restarts the core of a node that does not cut what it shut, once for all of that, and records why. */
export class NodeRestarts {
  readonly #parts: NodeTalkParts;
  readonly #cuts: NodeCuts;
  #declined = 0;
  #notBefore = 0;

  constructor(parts: NodeTalkParts, cuts: NodeCuts) {
    this.#parts = parts;
    this.#cuts = cuts;
  }

  /** Rejects with `NodeError` when the node cannot be asked; what it declines is asked for again later. */
  async ifDue(node: Node & AskedNode): Promise<void> {
    const { panel, dispatch, now, warn } = this.#parts;
    const due = this.#cuts.due();
    if (due === null || now() < this.#notBefore) return;
    this.#notBefore = now() + Math.min(LONGEST_MS, APART_MS * 2 ** Math.min(this.#declined, 20));
    try {
      await panel.restartCore(node);
    } catch (error) {
      if (!(error instanceof NodeError) || (error.kind !== 'said-no' && error.kind !== 'status')) throw error;
      this.#declined += 1;
      warn('the core of a node could not be restarted: connections that should be cut go on', {
        node: node.name,
        why: error.message,
      });
      return;
    }
    this.#declined = 0;
    this.#cuts.restarted(now());
    dispatch({ type: 'RecordNodeCoreRestarted', data: { asked: node, ...due } }, null);
  }
}
