import type { Node } from '../../../events/node/node-document.js';
import type { RequestTarget } from '../../ports/remote-panel.js';
import { NodeError } from '../../ports/remote-panel.js';
import { backoffMs } from './backoff.js';
import type { DisconnectTracker } from './disconnect-tracker.js';
import type { RemoteNodesParts } from './parts.js';

/** Between two restarts of the core of a node, in ms; longer after each restart that the node declined. */
const RESTART_DELAY = { first: 15_000, longest: 3_600_000 };

/** Restarts the core of a node that does not disconnect disabled clients, and records why. */
export class CoreRestarts {
  readonly #parts: RemoteNodesParts;
  readonly #disconnects: DisconnectTracker;
  #declined = 0;
  #notBefore = 0;

  constructor(parts: RemoteNodesParts, disconnects: DisconnectTracker) {
    this.#parts = parts;
    this.#disconnects = disconnects;
  }

  /** Rejects with `NodeError` when the node cannot be reached. A declined restart is tried again later. */
  async ifDue(node: Node & RequestTarget): Promise<void> {
    const { panel, dispatch, now, warn } = this.#parts;
    const due = this.#disconnects.due();
    if (due === null || now() < this.#notBefore) return;
    this.#notBefore = now() + backoffMs(this.#declined + 1, RESTART_DELAY);
    try {
      await panel.restartCore(node);
    } catch (error) {
      if (!(error instanceof NodeError) || (error.kind !== 'declined' && error.kind !== 'status')) throw error;
      this.#declined += 1;
      warn('the core of a node could not be restarted: connections of disabled clients stay open', {
        node: node.name,
        why: error.message,
      });
      return;
    }
    this.#declined = 0;
    this.#disconnects.restarted(now());
    dispatch({ type: 'RecordNodeCoreRestarted', data: { queried: node, ...due } }, null);
  }
}
