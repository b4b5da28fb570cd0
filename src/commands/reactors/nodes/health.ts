import type { NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { sameJson } from '../../../lib/json.js';
import { message, type Text } from '../../../messages/message.js';
import type { NodeCommand } from '../../node/node.js';
import { duplicateOf, sameAddress } from '../../node/node-rules.js';
import { NodeError, type NodeReading, type RemotePanel, type RequestTarget } from '../../ports/remote-panel.js';
import { Rejection } from '../../rejection.js';
import { RateLimiter } from '../rate-limiter.js';
import type { RemoteNodesParts } from './parts.js';

/** The result of one probe. */
export interface NodeAnswer extends Omit<NodeReading, 'kind' | 'panelId'> {
  readonly status: 'online' | 'offline';
  /** Null while it is online. */
  readonly error: Text | null;
}

/** The last known state of a node. While it is offline its load reads as 0. */
export interface NodeHealth extends Omit<NodeAnswer, 'status' | 'error'> {
  readonly status: 'unknown' | 'online' | 'offline';
  /** Unix seconds of the last probe, also when it was not answered; 0 = never. */
  readonly lastHeartbeat: number;
  /** Of the last probe: a node that is online may have missed one. */
  readonly lastError: Text | null;
}

export interface ProbeResult {
  readonly answer: NodeAnswer;
  readonly reading: NodeReading | null;
  /** Another probe would give the same result, so the node is offline at once. */
  readonly final: boolean;
}

interface Expected {
  /** The identity that was recorded at the first answer; null = this is the first. */
  readonly known: Node['identity'];
  readonly ownId: string;
  /** Another node with this panel id. */
  readonly twin: (panelId: string) => Node | undefined;
}

export const SELF = message('node.isSelf');
export const ANOTHER = message('node.isAnother');

/** The load of a node of which none is known. */
export const NO_LOAD = { latencyMs: 0, coreVersion: '', cpu: 0, mem: 0, uptimeSecs: 0 } as const;
export const UNKNOWN: NodeHealth = { status: 'unknown', lastHeartbeat: 0, lastError: null, ...NO_LOAD };

/** Missed probes in a row until a node is offline. */
const MAX_MISSES = 3;
/** How often it is recorded that a node is online again; one that flaps stays offline in between. */
const RECOVERY_RATE = { atOnce: 3, everyMs: 600_000 };

/** Probes a panel and checks that it is the expected one. Never rejects. */
export async function probeNode(
  panel: Pick<RemotePanel, 'probe'>,
  target: RequestTarget,
  expected: Expected,
  warn: RemoteNodesParts['warn'],
): Promise<ProbeResult> {
  try {
    const reading = await panel.probe(target);
    const { kind, panelId, ...values } = reading;
    const error = identityError({ kind, panelId }, expected);
    return error === null
      ? { answer: { status: 'online', ...values, error: null }, reading, final: false }
      : offline(error, true);
  } catch (error) {
    if (error instanceof NodeError) return offline(error.text, isFinal(error));
    warn('a node could not be probed', { err: error });
    return offline(message('node.probeFailed'), false);
  }
}

function offline(error: Text, final: boolean) {
  return { answer: { status: 'offline' as const, ...NO_LOAD, error }, reading: null, final };
}

function identityError(actual: NonNullable<Node['identity']>, { known, ownId, twin }: Expected): Text | null {
  if (actual.panelId !== '' && actual.panelId === ownId) return SELF;
  const other = twin(actual.panelId);
  if (other) return message('node.isDuplicate', { name: other.name });
  return known === null || (known.kind === actual.kind && known.panelId === actual.panelId) ? null : ANOTHER;
}

function isFinal(error: NodeError): boolean {
  if (error.kind === 'status') return [401, 403, 404].includes(error.status);
  return error.kind === 'refused' || error.kind === 'certificate';
}

/**
 * The health of one node. It stays in memory; that a node went offline or came back, and which panel it is, are recorded as
 * events.
 */
export class HealthTracker {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  #recoveries: RateLimiter;
  #health = UNKNOWN;
  #misses = 0;
  /** Whether the log has it as online; undefined = nothing is recorded; null = not read yet. */
  #recorded: boolean | undefined | null = null;
  /** Why the replies of the node are invalid although it answers probes; null = they are valid. */
  #invalidReply: Text | null = null;

  constructor(parts: RemoteNodesParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
    this.#recoveries = new RateLimiter(parts.now, RECOVERY_RATE);
  }

  get health(): NodeHealth {
    return this.#health;
  }

  /** Missed probes in a row. */
  get misses(): number {
    return this.#misses;
  }

  /** For a node with another address or token, or one that was disabled. */
  reset(): void {
    this.#recoveries = new RateLimiter(this.#parts.now, RECOVERY_RATE);
    this.#health = UNKNOWN;
    this.#misses = 0;
    this.#recorded = null;
    this.#invalidReply = null;
  }

  probe(node: Node, signal?: AbortSignal): Promise<ProbeResult> {
    const { panel, records, warn } = this.#parts;
    const target = signal ? { ...node, signal } : node;
    const twin = (panelId: string): Node | undefined => duplicateOf(records.nodes(), node, panelId);
    return probeNode(panel, target, { known: node.identity, ownId: records.ownId(), twin }, warn);
  }

  /** Other replies of the node are invalid: it is offline for this reason, even if it answers probes. */
  markInvalid(node: Node, reason: Text): void {
    if (sameJson(this.#invalidReply, reason)) return;
    this.#invalidReply = reason;
    this.record(node, offline(reason, true));
  }

  /** Its replies are valid again. Returns whether they were not. */
  markValid(): boolean {
    const wasInvalid = this.#invalidReply !== null;
    this.#invalidReply = null;
    return wasInvalid;
  }

  /**
   * Records the result of a probe, unless the node has another address by now. `final`: one miss is enough. Returns the
   * answer that counts.
   */
  record(node: Node, result: ProbeResult, { final = result.final } = {}): NodeAnswer {
    const current = this.#parts.records.node(this.#id);
    const invalid = result.reading === null ? null : this.#invalidReply;
    const { answer, reading } = invalid === null ? result : offline(invalid, true);
    if (!current || !sameAddress(current, node)) return answer;
    this.#recorded = this.#recorded === null ? this.#parts.records.wasOnline(this.#id) : this.#recorded;
    if (answer.error !== null) this.#missed(node, answer.error, final || invalid !== null || current.identity === null);
    else if (reading !== null) this.#answered(node, reading, current.identity === null);
    return answer;
  }

  #answered(node: Node, { kind, panelId, ...values }: NodeReading, isNew: boolean): void {
    const { now, histories } = this.#parts;
    this.#misses = 0;
    this.#health = { status: 'online', lastHeartbeat: Math.floor(now() / 1000), lastError: null, ...values };
    const { cpu, mem, latencyMs } = values;
    histories.add(this.#id, { cpu, mem, latency: latencyMs, lag: this.#lag() });
    if (isNew) this.#record(node, { type: 'RecordNodeIdentity', data: { queried: node, identity: { kind, panelId } } });
    if (this.#recorded === false)
      this.#recoveries.try(() => {
        const isRecorded = this.#record(node, { type: 'RecordNodeOnline', data: { queried: node } });
        if (isRecorded) this.#recorded = true;
        return isRecorded;
      });
  }

  #missed(node: Node, lastError: Text, final: boolean): void {
    this.#misses += 1;
    this.#parts.histories.add(this.#id, { lag: this.#lag() });
    const isOffline = final || this.#misses >= MAX_MISSES || this.#recorded === false;
    const { coreVersion } = this.#health;
    const values = isOffline ? { ...NO_LOAD, coreVersion, status: 'offline' as const } : {};
    const lastHeartbeat = Math.floor(this.#parts.now() / 1000);
    this.#health = { ...this.#health, ...values, lastHeartbeat, lastError };
    if (!isOffline || this.#recorded === false) return;
    if (this.#record(node, { type: 'RecordNodeOffline', data: { queried: node, reason: lastError } }))
      this.#recorded = false;
  }

  /** The number of changes that wait for the node. */
  #lag(): number {
    return this.#parts.records.outgoing(this.#id).reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Whether something was appended. A rejection raises an alarm elsewhere; the next probe tries again. */
  #record(node: Node, command: NodeCommand): boolean {
    const done = this.#parts.dispatch(command, node);
    return !(done instanceof Rejection) && done.events.length > 0;
  }
}
