import type { Duplex } from 'node:stream';
import { callLeader, takeCalls } from '../adapters/nats/calls.js';
import { answerMembers, askLeader, type LeaderRequest } from '../adapters/nats/requests.js';
import type { CommandContext } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { Caller, RelayedCaller } from '../commands/ports/cluster.js';
import { ClusterAway } from '../commands/ports/cluster.js';
import { MachineRecords, type Recording, record } from './machine-records.js';
import { FollowerRecords, recordAll } from './records.js';

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
  #leave: () => void = () => undefined;

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

  record(command: AnyCommand, context: CommandContext): void {
    this.records.add(command, context);
  }

  /** Takes the calls of the followers, as the leader. */
  take({ dispatch, baselines, relayed }: CallHooks): void {
    const connection = this.#parts.connection();
    if (connection === null) return;
    this.answer('record', (records) => recordAll(records, dispatch));
    this.answer('counters', async (request) => {
      const answer = record(request, { dispatch, baselines });
      // The member forgets what was recorded, so it must not be set aside later.
      if (!(await this.#parts.isConfirmed())) throw new ClusterAway('not confirmed');
      return answer;
    });
    this.#leave = takeCalls(connection, relayed, this.#invalid);
  }

  /** Answers one kind of request of the other members. */
  answer(kind: LeaderRequest, answer: (request: unknown) => unknown): void {
    const connection = this.#parts.connection();
    if (connection) answerMembers(connection, kind, answer, this.#invalid);
  }

  readonly #invalid = (error: unknown): void =>
    this.#parts.warn('a member sent an invalid request', { error: String(error) });

  async stop(): Promise<void> {
    await this.machine.stop();
    this.#leave();
    this.records.stop();
  }

  #connected(): Connection {
    const connection = this.#parts.connection();
    if (connection === null) throw new ClusterAway('not connected');
    return connection;
  }
}
