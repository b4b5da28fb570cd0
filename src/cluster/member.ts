import { setTimeout as sleep } from 'node:timers/promises';
import type { LogReplication } from '../adapters/sqlite/replication/log-replication.js';
import {
  type BatchStream,
  ClusterAway,
  type KeyBucket,
  type Lease,
  type LogPoint,
  type ReportedMember,
  type StreamFault,
} from '../commands/ports/cluster.js';
import { align } from './alignment.js';
import { faultIn } from './damage/stream-fault.js';
import { StreamWatch } from './damage/stream-watch.js';
import { type Common, Diverged, Following, keysIn } from './following.js';
import { Publisher } from './publisher.js';

/** How often a leader renews its lease, and a follower looks whether it is free, in ms. */
const BEAT_MS = 1000;
const LOOK_MS = 500;
/** After how many beats the buckets are checked. */
const REPAIR_BEATS = 4;
/** Pause while a new leader waits for the last events of the stream, in ms. */
const CATCH_UP_MS = 50;

export type Role = 'leader' | 'follower';

interface Parts {
  /** Unique in the cluster. */
  readonly name: string;
  readonly replica: LogReplication;
  readonly stream: BatchStream;
  readonly lease: Lease;
  readonly keys: KeyBucket;
  /** How long the lease lasts without a renewal, and how long after its start a free lease is left to others, in ms. */
  readonly times: { readonly leaseMs: number; readonly patienceMs: number };
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** The last reports of the members, read before this one leads. */
  readonly reports: () => Promise<readonly ReportedMember[]>;
  /** Starts what only the leader does. */
  readonly lead: (reports: readonly ReportedMember[]) => Promise<void>;
  /** Makes buckets anew that were deleted. Called now and then. */
  readonly repair: (role: Role) => Promise<void>;
  /** Ends this process; the next one compares its log with the stream and follows. */
  readonly restart: (why: string) => void;
}

/** What a member knows of itself. */
export interface MemberState {
  readonly name: string;
  readonly role: Role;
  /** The leader as this member last saw it; null = unknown. */
  readonly leader: string | null;
  readonly position: number;
  /** The last position that its log and the stream have in common: what is after it may be set aside. */
  readonly shared: number;
  readonly sequence: number;
  /** Leader: the last position that the quorum has confirmed. */
  readonly confirmed: number | null;
  /** Since when (ms since 1970) the cluster does not answer; null = it answers. */
  readonly awayAt: number | null;
  /** The last event that it knows to be in the stream; null = unknown. */
  readonly acknowledged: LogPoint | null;
  /** What is wrong with the stream; null = nothing. */
  readonly fault: StreamFault | null;
  /** Position of the first event that its release does not know: it follows no further, and never leads. Null = none. */
  readonly unknownAt: number | null;
}

/**
 * A member of the cluster: follows the stream, and leads when the lease is free. A leader that loses the lease ends its
 * process instead of stepping back: events that never reached the stream must not stay in its read models.
 */
export class Member {
  readonly #parts: Parts;
  readonly #ending = new AbortController();
  readonly #following: Following;
  readonly #stream: StreamWatch;
  #role: Role = 'follower';
  #publisher: Publisher | null = null;
  #leader: string | null = null;
  #renewedAt = 0;
  #awayAt: number | null = null;
  #restarting = false;
  #handingOver = false;
  #beats = 0;
  readonly #startedAt = performance.now();

  /** Continues after the last position and sequence that the log and the stream have in common. */
  constructor(parts: Parts, common: Common) {
    this.#parts = parts;
    this.#stream = new StreamWatch(parts);
    this.#following = new Following({ ...parts, keysOf: keysIn(parts.keys), moved: () => undefined }, common);
  }

  get state(): MemberState {
    return {
      name: this.#parts.name,
      role: this.#role,
      leader: this.#role === 'leader' ? this.#parts.name : this.#leader,
      position: this.#parts.replica.head().position,
      shared: this.#publisher?.position ?? this.#following.position,
      sequence: this.#publisher?.sequence ?? this.#following.sequence,
      confirmed: this.#publisher?.position ?? null,
      awayAt: this.#publisher?.stalledAt ?? this.#awayAt,
      acknowledged: this.#acknowledged(),
      fault: this.#stream.fault,
      unknownAt: this.#following.unknownAt,
    };
  }

  #acknowledged(): LogPoint | null {
    const position = this.#publisher?.position ?? this.#following.position;
    const hash = this.#parts.replica.hashAt(position);
    return hash === null ? null : { position, hash };
  }

  /** Whether this member may append: it leads and its lease has not run out. */
  get mayAppend(): boolean {
    if (this.#role !== 'leader' || this.#restarting || this.#handingOver) return false;
    if (this.#stream.fault !== null) return false;
    return performance.now() - this.#renewedAt < this.#parts.times.leaseMs;
  }

  /** Resolves to whether the cluster has confirmed everything up to a position within `ms`. */
  async confirmed(position: number, ms: number): Promise<boolean> {
    return this.#publisher !== null && this.#publisher.confirmed(position, ms);
  }

  /** To be called after each append of the leader. */
  appended(): void {
    this.#publisher?.wake();
  }

  begin(): void {
    const stopped = this.#untilLeading.signal;
    void this.#following.run(stopped).catch((error: unknown) => this.#failed(error));
    void this.#watch();
  }

  readonly #untilLeading = new AbortController();

  /**
   * Frees the lease for another member and ends this process, after everything was confirmed; `leave` runs in between. From
   * the call on nothing can be appended. False: it was not confirmed in `ms`, and this member leads on.
   */
  async stepDown(ms: number, leave: () => Promise<void> = async () => undefined): Promise<boolean> {
    if (this.#publisher === null || this.#handingOver) return false;
    const { replica, lease } = this.#parts;
    this.#handingOver = true;
    if (!(await this.#publisher.confirmed(replica.head().position, ms))) {
      this.#handingOver = false;
      return false;
    }
    await leave();
    await lease.release();
    this.#restart('it stepped down');
    return true;
  }

  /** Frees the lease if the member has it. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#untilLeading.abort();
    const publisher = this.#publisher;
    this.#role = 'follower';
    if (publisher === null) return;
    await publisher.confirmed(this.#parts.replica.head().position, BEAT_MS);
    publisher.stop();
    await this.#parts.lease.release().catch(() => undefined);
  }

  async #watch(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        if (this.#role === 'leader') await this.#renew();
        else if (this.#stream.fault === null) await this.#look();
        this.#awayAt = null;
        await this.#inspect();
      } catch (error) {
        if (!(error instanceof ClusterAway)) return this.#failed(error);
        this.#awayAt ??= this.#parts.now();
      }
      await this.#repair();
      await sleep(this.#role === 'leader' ? BEAT_MS : LOOK_MS);
    }
  }

  async #repair(): Promise<void> {
    this.#beats += 1;
    if (this.#beats % REPAIR_BEATS !== 1) return;
    try {
      await this.#parts.repair(this.#role);
    } catch (error) {
      if (!(error instanceof ClusterAway))
        this.#parts.warn('the buckets of the cluster could not be checked', { error: String(error) });
    }
  }

  async #inspect(): Promise<void> {
    const { sequence } = this.state;
    if (await this.#stream.check(sequence)) this.#restart('the stream of the cluster was made anew');
  }

  async #renew(): Promise<void> {
    const { lease, name } = this.#parts;
    const before = performance.now();
    // An expired lease that is still free is taken again.
    if ((await lease.renew()) || (await lease.take())) this.#renewedAt = before;
    else if (!this.#ending.signal.aborted) this.#restart(`${name} has lost the lease to ${await lease.holder()}`);
  }

  async #look(): Promise<void> {
    const { lease } = this.#parts;
    this.#leader = await lease.holder();
    if (this.#leader === this.#parts.name) {
      // The lease of the process before; it expires or is renewed only by a process that knows its revision.
      return;
    }
    if (this.#leader !== null || performance.now() - this.#startedAt < this.#parts.times.patienceMs) return;
    if (this.#following.unknownAt !== null) return;
    const before = performance.now();
    if (!(await lease.take())) return;
    this.#renewedAt = before;
    await this.#becomeLeader();
  }

  /** With the lease: reads the rest of the stream, and continues it. */
  async #becomeLeader(): Promise<void> {
    const { stream, replica, lease } = this.#parts;
    const reports = await this.#parts.reports().catch(() => []);
    const fault = faultIn(await stream.ends(), this.#following.sequence);
    if (fault !== null) {
      this.#stream.report(fault);
      await lease.release();
      return;
    }
    for (;;) {
      const { relation, position, sequence } = await align(stream, replica);
      if (relation === 'equal' || relation === 'ahead') {
        this.#untilLeading.abort();
        const { last } = await stream.ends();
        if (relation === 'ahead' && last > sequence)
          throw new Diverged(`the stream ends at ${last}, not at ${sequence}`);
        this.#publisher = new Publisher(
          {
            ...this.#parts,
            lost: (why) => (why === 'fenced' ? this.#restart(why) : this.#stream.report(why)),
          },
          { position, sequence: last },
        );
        break;
      }
      if (this.#following.unknownAt !== null) return lease.release();
      if (relation !== 'behind') throw new Diverged(`the log and the stream are ${relation} at position ${position}`);
      await sleep(CATCH_UP_MS);
      if (!(await lease.renew())) return;
      this.#renewedAt = performance.now();
    }
    this.#role = 'leader';
    // Not waited for: a core may take longer to start than the lease lasts without a renewal.
    void this.#parts.lead(reports).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    if (this.#ending.signal.aborted) return;
    this.#restart(error instanceof Error ? error.message : String(error));
  }

  #restart(why: string): void {
    if (this.#restarting) return;
    this.#restarting = true;
    this.#ending.abort();
    this.#untilLeading.abort();
    this.#publisher?.stop();
    this.#parts.restart(why);
  }
}
