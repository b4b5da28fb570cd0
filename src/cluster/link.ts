import { setTimeout as sleep } from 'node:timers/promises';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { LEASE_MS } from '../adapters/nats/cluster-store.js';
import { closeNats, type NatsOptions } from '../adapters/nats/connection.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { LogReplication } from '../adapters/sqlite/replication/log-replication.js';
import {
  ClusterAway,
  type ClusterView,
  membersOf,
  type StreamFault,
  StreamMissing,
} from '../commands/ports/cluster.js';
import { Rejection, reject } from '../commands/rejection.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import { examineClosed, type Identity, identityIn, identityOf } from './closed-log.js';
import { type Connected, connectTo, repairStore } from './connect.js';
import { continues, examine } from './damage/examination.js';
import { DAMAGED, faultText } from './damage/stream-fault.js';
import { formerLeader, lastElection } from './election.js';
import { Copies } from './leader/copies.js';
import { CONFIRM_MS, handOver } from './leader/hand-over.js';
import { answerAndWork, type Hooks } from './leader/leading.js';
import { MemberCalls } from './leader/member-calls.js';
import { StreamRetention } from './leader/retention.js';
import { LeaderCalls } from './leader-calls.js';
import { Member } from './member.js';
import type { MemberState } from './member-state.js';
import { Members } from './members.js';
import { reportSetAside, type SetAside, setAsideTail } from './set-aside.js';
import { withoutLogin } from './shown-url.js';
import { type Record, type RemovalRequest, removalRefusal } from './steering.js';

/** Pause between two attempts to connect, in ms. */
const CONNECT_MS = 1000;

export interface ClusterOptions extends NatsOptions {
  /** `local`: an answer does not wait for the cluster. `quorum+1`: it also waits until the log of one follower has the change. */
  readonly ack: 'local' | 'quorum' | 'quorum+1';
  /** How long the stream keeps a message, in days. */
  readonly keepDays: number;
  /** Of the panel. */
  readonly version: string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** The membership of this panel in a cluster. */
export class ClusterLink {
  readonly #options: ClusterOptions;
  readonly #startedAt: number;
  #connected: Connected | null = null;
  #common = { sequence: 0, position: 0 };
  /** What a start has found wrong with the stream. */
  #fault: StreamFault | null = null;
  #member: Member | null = null;
  /** While this member leads with `quorum+1`. */
  #copies: Copies | null = null;
  #peers: MemberCalls | null = null;
  #members: Members | null = null;
  #log: SqliteEventLog | null = null;
  #directory: DataDirectory | null = null;
  /** Hands the leadership over; null unless this member leads. */
  #handOver: ((record: Record) => Promise<Rejection | null>) | null = null;
  /** What this member and the leader do for each other. */
  readonly calls: LeaderCalls;
  #stopped = false;
  /** What the last process had that the cluster never confirmed. */
  #setAside: SetAside | null = null;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.calls = new LeaderCalls({
      ...options,
      connection: () => this.#connected?.connection ?? null,
      isLeader: () => this.isLeader,
      isConfirmed: async () => (await this.confirmed()) === null,
    });
  }

  /**
   * Compares the log of a directory with the stream, and sets aside what never reached it. The caller holds the lock of the
   * directory. Without an answer of the servers, the panel serves what it has. Throws `MessageError` for a log that does not
   * belong to the cluster, and for servers that refuse the connection.
   */
  async prepare(directory: DataDirectory): Promise<void> {
    const { warn, url, now } = this.#options;
    this.#directory = directory;
    const identity = identityIn(directory);
    if (identity === null) throw new MessageError(message('start.clusterNotJoined'));
    try {
      const { store } = await this.#connect(identity);
      const examined = await examineClosed(store, directory, this.#options.name);
      if (examined.fault !== null) return await this.#damaged(examined.fault);
      const { found, isFormer } = examined;
      if (found.relation === 'gap') throw new MessageError(message('start.clusterGap', { position: found.position }));
      if (found.relation === 'diverged' || isFormer)
        this.#setAside = await setAsideTail({ directory, position: found.position, keys: store.keys, now });
      if (this.#setAside) warn('events that the cluster never confirmed were set aside', { ...this.#setAside });
      this.#common = found;
    } catch (error) {
      if (error instanceof StreamMissing) return this.#damaged('missing');
      if (!(error instanceof ClusterAway)) throw error;
      const about = { url: withoutLogin(url), error: error.message, ...identity.last };
      warn('the cluster does not answer: this panel serves what it has', about);
      await this.#disconnect();
    }
  }

  async #disconnect(): Promise<void> {
    if (this.#connected) await closeNats(this.#connected.connection);
    this.#connected = null;
  }

  /** Serves what it has, until the stream was rebuilt. */
  async #damaged(fault: StreamFault): Promise<void> {
    if (this.#fault !== fault) this.#options.warn(DAMAGED, { fault });
    this.#fault = fault;
    await this.#disconnect();
  }

  async #connect(log: Identity): Promise<Connected> {
    const connected = await connectTo(this.#options, log);
    this.#connected = connected;
    const { stream, members: reports } = connected.store;
    const { name, version, now } = this.#options;
    this.#members = new Members({ name, version, root: this.#directory?.root ?? '', reports, stream, now });
    await this.#members.claim();
    return connected;
  }

  /** Why this member cannot change anything now; null = it can. */
  refusal(): Rejection | null {
    const fault = this.#member?.state.fault ?? this.#fault;
    if (fault !== null) return reject('CLUSTER_DAMAGED', { what: faultText(fault) });
    const { state, mayAppend } = this.#member ?? { state: null, mayAppend: false };
    const since = state === null ? this.#startedAt : state.awayAt;
    if (mayAppend && (since === null || this.#options.now() - since < CONFIRM_MS)) {
      const alone = this.#copies?.missingSince(CONFIRM_MS) ?? null;
      return alone === null ? null : reject('CLUSTER_NO_COPY', { since: alone, setting: 'PORTOLAN_CLUSTER_ACK' });
    }
    if (since !== null) return reject('CLUSTER_UNAVAILABLE', { since });
    const leader = state?.leader ?? this.#options.name;
    return leader === this.#options.name ? reject('CLUSTER_NO_LEADER') : reject('CLUSTER_FOLLOWER', { leader });
  }

  get name(): string {
    return this.#options.name;
  }

  get state(): MemberState | null {
    return this.#member?.state ?? null;
  }

  get isLeader(): boolean {
    return this.#member?.leads ?? false;
  }

  /** Follows, or leads when no other member does. */
  begin(hooks: Hooks): void {
    this.#log = hooks.log;
    this.calls.records.begin(hooks.dispatch);
    hooks.log.appended$.subscribe(() => {
      this.#member?.appended();
      this.#copies?.appended();
    });
    if (this.#connected) this.#beginMember(this.#connected, hooks);
    else void this.#connectLater(hooks);
  }

  #beginMember(connected: Connected, hooks: Hooks): void {
    const { connection, store } = connected;
    const { log, restart, machine } = hooks;
    const { name, now, warn } = this.#options;
    const replica = new LogReplication(log);
    const members = this.#members as Members;
    const retention = new StreamRetention({
      ...{ stream: store.stream, days: this.#options.keepDays, now, warn },
      reports: () => members.reported,
    });
    const peers = new MemberCalls({ name, connection, warn });
    this.#peers = peers;
    const lead = (reports: Awaited<ReturnType<Members['read']>>): Promise<void> => {
      if (this.#options.ack === 'quorum+1') peers.takeCopies((this.#copies = new Copies(log, now)));
      this.#handOver = (record) =>
        handOver({ ...hooks, record, name, member, members, calls: this.calls, others: this.view().members });
      return answerAndWork(hooks, {
        ...{ ...this.#options, connection, calls: this.calls, directory: this.#directory },
        former: formerLeader(log, reports),
        steer: this.steer,
        confirmed: async () => (await this.confirmed()) === null,
      });
    };
    const followed = (): void => {
      this.#copies = this.#handOver = null;
      peers.end();
      this.calls.end();
    };
    const member = new Member(
      {
        ...{ name, replica, ...store, now, warn, restart, reports: () => members.read() },
        work: { lead, followed, moved: (has) => peers.reportCopy(has) },
        repair: async (role) => {
          await repairStore(connected, role === 'leader' ? log : null, warn);
          if (role === 'leader') await retention.trim();
        },
        leaseMs: LEASE_MS,
      },
      this.#common,
    );
    this.#member = member;
    peers.answerReading(hooks.collect);
    member.begin();
    const taken = (host: string): void => restart(`another process on ${host} uses the name ${name}`);
    members.begin({ state: () => member.state, machine, taken, warn });
    if (this.#setAside)
      void reportSetAside({ member: name, ...this.#setAside }, () => this.#connected?.connection ?? null);
  }

  /** The cluster as this member last saw it. */
  view(): ClusterView {
    const [{ name }, state] = [this.#options, this.#member?.state];
    return {
      ...{ name, role: state?.role ?? 'follower', leader: state?.leader ?? null, sequence: state?.sequence ?? 0 },
      ...{ confirmed: state?.confirmed ?? null, awayAt: state ? state.awayAt : this.#startedAt },
      ...{ fault: state?.fault ?? this.#fault, electedAt: (this.#log && lastElection(this.#log)?.at) ?? 0 },
      ...{ members: membersOf(this.#members?.reported ?? []), servers: this.#members?.servers ?? null },
    };
  }

  /** Removes a member that will not return; null = hands over the leadership. Resolves to why not, or null. */
  readonly steer = (asked: RemovalRequest | null, record: Record): Promise<Rejection | null> =>
    asked === null ? this.#stepDown(record) : this.#remove(asked, record);

  async #stepDown(record: Record): Promise<Rejection | null> {
    return this.refusal() ?? (await (this.#handOver?.(record) ?? reject('CLUSTER_NO_LEADER')));
  }

  async #remove({ member, force }: RemovalRequest, record: Record): Promise<Rejection | null> {
    const refused = this.refusal() ?? removalRefusal(this.view().members, { member, force }, this.#log);
    if (refused) return refused;
    const done = record({ type: 'RemoveMember', data: { member, force } });
    if (done instanceof Rejection) return done;
    await this.#connected?.store.members.remove(member);
    await this.#members?.read();
    return null;
  }

  /** The servers did not answer at the start: the log is compared with the stream as soon as they do. */
  async #connectLater(hooks: Hooks): Promise<void> {
    const { warn } = this.#options;
    for (let refused = ''; !this.#stopped; ) {
      await sleep(CONNECT_MS);
      try {
        const connected = await this.#connect(identityOf(hooks.log));
        const examined = await examine(connected.store, hooks.log, this.#options.name);
        if (examined.fault === null) {
          const { found, isFormer } = examined;
          if (isFormer || !continues(found)) return hooks.restart('the log and the stream differ');
          [this.#common, this.#fault] = [found, null];
          return this.#stopped ? undefined : this.#beginMember(connected, hooks);
        }
        await this.#damaged(examined.fault);
      } catch (error) {
        if (error instanceof StreamMissing) await this.#damaged('missing');
        else if (!(error instanceof ClusterAway) && String(error) !== refused)
          warn('this panel cannot join its cluster, and tries again', { error: (refused = String(error)) });
        await this.#disconnect();
      }
    }
  }

  /** Has the other members record what their machines have counted, within two seconds. */
  async collect(): Promise<void> {
    const others = this.view().members.filter(({ role, state }) => role === 'follower' && state === 'running');
    if (this.isLeader) await this.#peers?.readings(others.map(({ name }) => name));
  }

  /** Waits until the cluster has confirmed everything that this panel has appended; null = it has. */
  async confirmed(): Promise<Rejection | null> {
    const [member, log] = [this.#member, this.#log];
    if (member === null || log === null || this.#options.ack === 'local') return null;
    const [{ position }, copies, end] = [log.head(), this.#copies, performance.now() + CONFIRM_MS];
    const isConfirmed =
      (await member.confirmed(position, CONFIRM_MS)) &&
      (copies === null || (await copies.reached(position, Math.max(0, end - performance.now()))));
    return isConfirmed ? null : reject('CHANGE_UNCONFIRMED', { span: CONFIRM_MS });
  }

  /** Gives up the leadership, and disconnects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.calls.stop();
    await this.#members?.leave();
    await this.#member?.stop();
    await this.#disconnect();
  }
}
