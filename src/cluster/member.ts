import { setTimeout as sleep } from 'node:timers/promises';
import type { LogReplication } from '../adapters/sqlite/replication/log-replication.js';
import type { KeyBucket } from '../commands/ports/cluster/keys.js';
import {
  type BatchStream,
  ClusterAway,
  type Lease,
  type LogPoint,
  type ReportedMember,
} from '../commands/ports/cluster.js';
import { faultIn } from './damage/stream-fault.js';
import { StreamWatch } from './damage/stream-watch.js';
import { type Common, Following, keysIn } from './following.js';
import { continuation } from './leader/continuation.js';
import type { HandOver, MemberState, Role, RoleWork } from './member-state.js';
import { Publisher } from './publisher.js';

/** How often a leader renews its lease, and a follower looks whether it is free, in ms. */
const BEAT_MS = 1000;
const LOOK_MS = 500;
/** After how many beats the buckets are checked. */
const REPAIR_BEATS = 4;
/** How long a process that has led leaves a free lease to others before it starts again to take it, in ms. */
const LEFT_MS = 1500;

interface Parts {
  /** Unique in the cluster. */
  readonly name: string;
  readonly replica: LogReplication;
  readonly stream: BatchStream;
  readonly lease: Lease;
  readonly keys: KeyBucket;
  /** How long the lease lasts without a renewal, in ms. */
  readonly leaseMs: number;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** The last reports of the members, read before this one leads. */
  readonly reports: () => Promise<readonly ReportedMember[]>;
  readonly work: RoleWork;
  /** Creates buckets again that were deleted. Called every few seconds. */
  readonly repair: (role: Role) => Promise<void>;
  /** Ends this process; the next one compares its log with the stream and follows. */
  readonly restart: (why: string) => void;
}

/**
 * A member of the cluster: follows the stream, and leads when the lease is free. A leader that loses the lease ends its
 * process instead of stepping back: events that never reached the stream must not stay in its read models. After a planned
 * hand-over there are none, so the process follows; it leads once at most.
 */
export class Member {
  readonly #parts: Parts;
  readonly #ending = new AbortController();
  #following: Following;
  readonly #stream: StreamWatch;
  #role: Role = 'follower';
  #publisher: Publisher | null = null;
  #leader: string | null = null;
  #renewedAt = 0;
  #awayAt: number | null = null;
  #restarting = false;
  /** Leader: new changes are for the next one; and nothing can be appended any more. */
  #yielding = false;
  #closed = false;
  #hasLed = false;
  #freeSince: number | null = null;
  #renewing: Promise<unknown> = Promise.resolve();
  #beats = 0;

  /** Continues after the last position and sequence that the log and the stream have in common. */
  constructor(parts: Parts, common: Common) {
    this.#parts = parts;
    this.#stream = new StreamWatch(parts);
    this.#following = this.#followingFrom(common);
  }

  #followingFrom(common: Common): Following {
    const { keys } = this.#parts;
    return new Following({ ...this.#parts, keysOf: keysIn(keys), moved: this.#moved }, common);
  }

  readonly #moved = (): void => {
    const has = this.#role === 'follower' ? this.#acknowledged() : null;
    if (has) this.#parts.work.moved?.(has);
  };

  get state(): MemberState {
    const acknowledged = (): LogPoint | null => this.#acknowledged();
    return {
      name: this.#parts.name,
      role: this.#role,
      leader: this.#role === 'leader' ? this.#parts.name : this.#leader,
      position: this.#parts.replica.head().position,
      shared: this.#publisher?.position ?? this.#following.position,
      sequence: this.#publisher?.sequence ?? this.#following.sequence,
      confirmed: this.#publisher?.position ?? null,
      awayAt: this.#publisher?.stalledAt ?? this.#awayAt,
      // Each request needs the state, and this reads the log.
      get acknowledged() {
        return acknowledged();
      },
      fault: this.#stream.fault,
      unknownAt: this.#following.unknownAt,
    };
  }

  #acknowledged(): LogPoint | null {
    const position = this.#publisher?.position ?? this.#following.position;
    const head = this.#parts.replica.head();
    const hash = head.position === position ? head.hash : this.#parts.replica.hashAt(position);
    return hash === null ? null : { position, hash };
  }

  /** Whether this member may append: it leads and its lease has not run out. */
  get mayAppend(): boolean {
    if (this.#role !== 'leader' || this.#restarting || this.#closed) return false;
    if (this.#stream.fault !== null) return false;
    return performance.now() - this.#renewedAt < this.#parts.leaseMs;
  }

  /** Whether new changes are for this member. */
  get leads(): boolean {
    return this.#role === 'leader' && !this.#yielding;
  }

  /** Resolves to whether the cluster has confirmed everything up to a position within `ms`; a follower has nothing else. */
  async confirmed(position: number, ms: number): Promise<boolean> {
    return this.#publisher === null || this.#publisher.confirmed(position, ms);
  }

  /** To be called after each append of the leader. */
  appended(): void {
    this.#publisher?.wake();
  }

  begin(): void {
    this.#follow();
    void this.#watch();
  }

  #untilLeading = new AbortController();

  #follow(): void {
    this.#untilLeading = new AbortController();
    void this.#following.run(this.#untilLeading.signal).catch((error: unknown) => this.#failed(error));
  }

  /**
   * Hands over to another member, and follows. Changes in progress end first, and everything is confirmed before the lease is
   * free. False: it was not confirmed in time, and this member continues to lead.
   */
  async stepDown({ ms, finished, leave }: HandOver): Promise<boolean> {
    const publisher = this.#publisher;
    if (publisher === null || this.#yielding) return false;
    this.#yielding = true;
    await finished();
    this.#closed = true;
    if (!(await publisher.confirmed(this.#parts.replica.head().position, ms))) {
      this.#yielding = this.#closed = false;
      return false;
    }
    await leave();
    publisher.stop();
    // Before the lease is free, so that this member does not renew it or take it again.
    this.#role = 'follower';
    this.#hasLed = true;
    this.#publisher = null;
    const { position, sequence } = publisher;
    this.#following = this.#followingFrom({ position, sequence });
    this.#follow();
    this.#parts.work.followed?.();
    // Its last renewal decides what is released. Without an answer it expires.
    await this.#renewing.catch(() => undefined);
    await this.#parts.lease.release().catch(() => undefined);
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
      // It may have stopped meanwhile, and its log may be closed.
      if (!this.#ending.signal.aborted) this.#moved();
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
    if (await this.#stream.check(sequence)) this.#restart('the stream of the cluster was rebuilt');
  }

  async #renewed(): Promise<boolean> {
    const { lease } = this.#parts;
    const before = performance.now();
    // An expired lease that is still free is taken again.
    const isRenewed = (await lease.renew()) || (this.#role === 'leader' && (await lease.take()));
    if (isRenewed) this.#renewedAt = before;
    return isRenewed;
  }

  async #renew(): Promise<void> {
    this.#renewing = this.#renewed();
    if ((await this.#renewing) || this.#role === 'follower' || this.#ending.signal.aborted) return;
    this.#restart(`${this.#parts.name} has lost the lease to ${await this.#parts.lease.holder()}`);
  }

  async #look(): Promise<void> {
    const { lease } = this.#parts;
    this.#leader = await lease.holder();
    // The lease of the process before; it expires or is renewed only by a process that knows its revision.
    if (this.#leader === this.#parts.name) return;
    if (this.#leader !== null) {
      this.#freeSince = null;
      return;
    }
    if (this.#following.unknownAt !== null) return;
    const before = performance.now();
    if (this.#hasLed) {
      if (before - (this.#freeSince ??= before) > LEFT_MS) this.#restart('no other member leads');
      return;
    }
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
    const mayContinue = async (): Promise<boolean> => this.#following.unknownAt === null && this.#renewed();
    const common = await continuation(stream, replica, mayContinue);
    // A member that does not know an event cannot lead.
    if (common === null) return this.#following.unknownAt === null ? undefined : lease.release();
    this.#untilLeading.abort();
    this.#publisher = new Publisher({ ...this.#parts, lost: this.#lost }, common);
    this.#role = 'leader';
    // The cluster has just answered; otherwise a leader that takes over after an outage would refuse its own first event.
    this.#awayAt = null;
    // Not waited for: a core may take longer to start than the lease lasts without a renewal.
    void this.#parts.work.lead(reports).catch((error: unknown) => this.#failed(error));
  }

  readonly #lost = (why: 'fenced' | 'shortened'): void =>
    why === 'fenced' ? this.#restart(why) : this.#stream.report(why);

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
