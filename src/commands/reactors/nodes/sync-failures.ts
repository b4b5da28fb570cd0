import type { NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { sameJson } from '../../../lib/json.js';
import { message, type Text, verbatim } from '../../../messages/message.js';
import { NodeError } from '../../ports/remote-panel.js';
import { Rejection } from '../../rejection.js';
import { RateLimiter } from '../rate-limiter.js';
import type { RemoteNodesParts } from './parts.js';

/** A sync that failed so often in a row, or for so long in ms, is recorded. */
const MIN_TRIES = 3;
const LASTING_MS = 20_000;
/** Changing reasons are recorded at most this often, in ms. */
const REASONS_MS = 60_000;
/** A node that did not fail for this time, in ms, has recovered. */
const HEALTHY_MS = 60_000;
/** A node that alternates stays failing, and is not recorded each time. */
const FAILURE_RATE = { atOnce: 2, everyMs: 600_000 };
const RECOVERY_RATE = { atOnce: 1, everyMs: 600_000 };
/** The alarm that a node is behind is raised after this time, in ms. */
const BEHIND_MS = 60_000;

/** How often the sync failed in a row, and since when: ms since 1970, 0 = it did not fail. */
interface Failures {
  readonly tries: number;
  readonly since: number;
}

/** Why the sync of a node fails: kept, recorded when it lasts, and raised as an alarm. */
export class SyncFailures {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  #error: Text | null = null;
  #warned = '';
  /** Since when the sync succeeds, ms since 1970; 0 = it fails. */
  #healthySince = 0;
  /** Whether the alarm was raised. */
  #behind = false;
  readonly #failures: RateLimiter;
  readonly #recoveries: RateLimiter;
  readonly #caughtUp: RateLimiter;

  constructor(parts: RemoteNodesParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
    this.#failures = new RateLimiter(parts.now, FAILURE_RATE);
    this.#recoveries = new RateLimiter(parts.now, RECOVERY_RATE);
    this.#caughtUp = new RateLimiter(parts.now, RECOVERY_RATE);
  }

  /** Why the last round failed; null = it did not. */
  get error(): Text | null {
    return this.#error;
  }

  /** Logs an unexpected error once. */
  warn(node: Node, error: unknown): void {
    const text = String(error);
    if (error instanceof NodeError || text === this.#warned) return;
    this.#warned = text;
    this.#parts.warn('the synchronization of a node failed', { node: node.name, err: error });
  }

  /** `answers`: the node answers probes; otherwise it is recorded as offline, and not as failing. */
  failed(node: Node, reason: Text, { tries, since, answers }: Failures & { readonly answers: boolean }): void {
    const { now, records, dispatch } = this.#parts;
    this.#healthySince = 0;
    this.#error = reason;
    if ((tries < MIN_TRIES && now() - since < LASTING_MS) || !answers) return;
    const before = records.failing(this.#id);
    if (before && (sameJson(before.reason, reason) || now() - before.since < REASONS_MS)) return;
    const data = { queried: node, reason };
    this.#failures.try(() => !(dispatch({ type: 'RecordNodeSyncFailed', data }, node) instanceof Rejection));
  }

  succeeded(node: Node): void {
    const { now, records, dispatch } = this.#parts;
    this.#error = null;
    this.#healthySince = Math.min(this.#healthySince || now(), now());
    if (now() - this.#healthySince < HEALTHY_MS) return;
    this.#warned = '';
    if (!records.failing(this.#id)) return;
    const data = { queried: node };
    this.#recoveries.try(() => !(dispatch({ type: 'RecordNodeSyncRecovered', data }, node) instanceof Rejection));
  }

  /** Raises the alarm when changes do not reach the node, and clears it when they do. */
  reportLag(node: Node, { since }: Failures): void {
    const { records, now } = this.#parts;
    const late = now() - BEHIND_MS;
    const entries = records.outgoing(this.#id);
    if (since > 0) {
      const isLate = since <= late && entries.some(({ waiting }) => waiting.length > 0);
      if (isLate && this.#error !== null) this.#raise(node, this.#error);
      return;
    }
    const stuck = entries.find(({ refused }) => refused !== null && refused.since <= late);
    if (stuck?.refused)
      this.#raise(node, message('notifications.subjectReason', { subject: stuck.tag, reason: stuck.refused.reason }));
    else if (this.#behind)
      this.#caughtUp.try(() => {
        this.#clear(node);
        return true;
      });
  }

  #raise(node: Node, why: Text): void {
    this.#behind = true;
    const body = message('notifications.subjectReason', { subject: node.name, reason: why });
    this.#parts.alarms.raise(behind(node), { title: message('notifications.nodeBehind'), body, severity: 'warning' });
  }

  #clear(node: Node): void {
    this.#behind = false;
    const title = message('notifications.nodeCaughtUp');
    this.#parts.alarms.clear([behind(node)], { title, body: verbatim(node.name), severity: 'success' });
  }
}

/** The kind of the alarm. */
const behind = (node: Node): string => `node ${node.id} is behind`;
