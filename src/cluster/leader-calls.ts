import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callLeader, takeCalls } from '../adapters/nats/calls.js';
import { answerMembers, askLeader, type LeaderRequest } from '../adapters/nats/requests.js';
import type { CommandContext } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { JoinRequests } from '../commands/cluster.js';
import type { FetchFile } from '../commands/ports/cluster/shared-files.js';
import type { Caller, RelayedCaller } from '../commands/ports/cluster.js';
import { ClusterAway } from '../commands/ports/cluster.js';
import { MachineRecords, type Recording, record } from './machine-records.js';
import { FollowerRecords, recordAll } from './records.js';
import { fileFetcher } from './shared-files.js';

/** How often a hand-over looks whether the changes in progress have ended, in ms. */
const LOOK_MS = 5;

type Connection = Parameters<typeof callLeader>[0];

interface Parts {
  /** Of this member. */
  readonly name: string;
  /** Null while this member is not connected. */
  readonly connection: () => Connection | null;
  readonly isLeader: () => boolean;
  /** Resolves to whether the cluster has everything that this leader has appended. */
  readonly isConfirmed: () => Promise<boolean>;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

export interface CallHooks extends Recording {
  /** Answers the request that another member passes on over a connection. */
  readonly relayed: (tunnel: Duplex, caller: RelayedCaller) => void;
}

/** What followers have the leader do: answer requests, and record what they have observed. */
export class LeaderCalls {
  readonly #parts: Parts;
  readonly records: FollowerRecords;
  /** What this machine reports about its core. */
  readonly machine: MachineRecords;
  /** The machines that want to join; null unless this member leads. */
  joins: JoinRequests | null = null;
  #leave: () => void = () => undefined;
  #answers: (() => void)[] = [];
  #relayed: CallHooks['relayed'] | null = null;
  /** Changes that this member carries out at the moment. */
  #inProgress = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.records = new FollowerRecords({
      ...parts,
      send: async (records) => askLeader(this.#connected(), 'record', records),
    });
    this.machine = new MachineRecords({
      ...parts,
      send: async (request) => askLeader(this.#connected(), 'counters', request),
    });
  }

  /** Opens a connection to the HTTP server of the leader. Rejects with `ClusterAway`: nothing was sent. */
  async open(caller: Caller): Promise<Duplex> {
    return callLeader(this.#connected(), { ...caller, member: this.#parts.name });
  }

  /** Copies a file from the leader. */
  readonly fetch: FetchFile = fileFetcher((question) => askLeader(this.#connected(), 'file', question));

  record(command: AnyCommand, context: CommandContext): void {
    this.records.add(command, context);
  }

  /** Takes the calls of the followers, as the leader. */
  take({ dispatch, baselines, relayed }: CallHooks): void {
    this.answer('record', (records) => recordAll(records, dispatch));
    this.answer('counters', async (request) => {
      const answer = record(request, { dispatch, baselines });
      // The member forgets what was recorded, so it must not be set aside later.
      if (!(await this.#parts.isConfirmed())) throw new ClusterAway('not confirmed');
      return answer;
    });
    this.#relayed = relayed;
    this.#takeConnections();
  }

  #takeConnections(): void {
    const connection = this.#parts.connection();
    if (connection && this.#relayed) this.#leave = takeCalls(connection, this.#relayed, this.#invalid);
  }

  /**
   * Takes no more connections. Resolves when the changes in progress have ended, or after `ms`, to a function that takes
   * connections again.
   */
  async yield(ms: number): Promise<() => void> {
    this.#leave();
    const end = performance.now() + ms;
    while (this.#inProgress > 0 && performance.now() < end) await sleep(LOOK_MS);
    return () => this.#takeConnections();
  }

  /** Answers no more, because another member leads. */
  end(): void {
    this.joins = null;
    this.#leave();
    this.#leave = () => undefined;
    for (const stop of this.#answers.splice(0)) stop();
  }

  /** A change begins that this member carries out. To be called when it has ended. */
  begins(): () => void {
    this.#inProgress += 1;
    return () => {
      this.#inProgress -= 1;
    };
  }

  /** Answers one kind of request of the other members while this one leads. */
  answer(kind: LeaderRequest, answer: (request: unknown) => unknown): void {
    const connection = this.#parts.connection();
    if (connection) this.#answers.push(answerMembers(connection, kind, answer, this.#invalid));
  }

  readonly #invalid = (error: unknown): void =>
    this.#parts.warn('a member sent an invalid request', { error: String(error) });

  async stop(): Promise<void> {
    await this.machine.stop();
    this.end();
    this.records.stop();
  }

  #connected(): Connection {
    const connection = this.#parts.connection();
    if (connection === null) throw new ClusterAway('not connected');
    return connection;
  }
}
