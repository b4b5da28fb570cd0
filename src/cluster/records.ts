import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { CommandContext, Dispatch } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { ClusterAway } from '../commands/ports/cluster.js';
import { Rejection } from '../commands/rejection.js';

/** Pause after a failed attempt, in ms. */
const RETRY_MS = 1000;
/** Commands in one message, and those that wait for a leader. */
const MAX_AT_ONCE = 100;
const MAX_WAITING = 10_000;

/** What a follower observes itself: refused requests, the use of tokens, addresses of clients, its own address. Nothing else may come this way. */
const TYPES: ReadonlySet<string> = new Set<AnyCommand['type']>([
  'RecordTokenUse',
  'RecordRefusals',
  'RecordLoginFailures',
  'RecordClientIps',
  'LimitAddresses',
  'RecordMemberAddress',
]);
const Actor = z.looseObject({ kind: z.string(), id: z.string(), name: z.string(), ip: z.string().nullable() });
const Records = z.array(
  z.strictObject({
    command: z.strictObject({ type: z.string().refine((type) => TYPES.has(type)), data: z.looseObject({}) }),
    context: z.strictObject({ actor: Actor, correlationId: z.string(), at: z.number() }),
  }),
);

interface Waiting {
  readonly command: AnyCommand;
  readonly context: CommandContext;
}

interface Parts {
  readonly send: (records: unknown) => Promise<unknown>;
  readonly isLeader: () => boolean;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** What a follower has observed and only the leader can record, until it has. */
export class FollowerRecords {
  readonly #parts: Parts;
  #waiting: Waiting[] = [];
  #dropped = 0;
  #sending = false;
  #stopped = false;
  #dispatch: Dispatch | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `dispatch`: for a member that begins to lead before its records were sent. */
  begin(dispatch: Dispatch): void {
    this.#dispatch = dispatch;
  }

  add(command: AnyCommand, { actor, correlationId }: CommandContext): void {
    if (this.#waiting.length >= MAX_WAITING) {
      if (this.#dropped === 0)
        this.#parts.warn('what this member observes is not recorded until the cluster has a leader');
      this.#dropped += 1;
      return;
    }
    this.#waiting.push({ command, context: { actor, correlationId, at: this.#parts.now() } });
    if (!this.#sending) void this.#send();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0 && !this.#stopped) {
      const some = this.#waiting.slice(0, MAX_AT_ONCE);
      try {
        if (!this.#parts.isLeader()) await this.#parts.send(some);
        else if (this.#dispatch) recordAll(some, this.#dispatch);
        this.#waiting = this.#waiting.slice(some.length);
      } catch (error) {
        if (!(error instanceof ClusterAway)) throw error;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    if (this.#dropped > 0) this.#parts.warn('observations were not recorded', { count: this.#dropped });
    this.#dropped = 0;
    this.#sending = false;
  }
}

/** Records on the leader what a follower has sent. Throws for anything but the observations of a follower. */
export function recordAll(records: unknown, dispatch: Dispatch): void {
  for (const { command, context } of Records.parse(records)) {
    // The sender is a member, and the same code made the command there; `TYPES` are the types that it may have.
    const done = dispatch(command as unknown as AnyCommand, context as CommandContext);
    // Observations of a token or an admin that was deleted meanwhile are refused, and nothing is missing.
    if (done instanceof Rejection && done.code.startsWith('CLUSTER_')) throw new ClusterAway(done.message);
  }
}
