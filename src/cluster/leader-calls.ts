import type { Duplex } from 'node:stream';
import { callLeader, takeCalls } from '../adapters/nats/calls.js';
import { answerMembers, askLeader, type LeaderRequest } from '../adapters/nats/requests.js';
import type { CommandContext, Dispatch } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import type { Caller } from '../commands/ports/cluster.js';
import { ClusterAway } from '../commands/ports/cluster.js';
import { FollowerRecords, recordAll } from './records.js';

type Connection = Parameters<typeof callLeader>[0];

interface Parts {
  /** Null while this member is not connected. */
  readonly connection: () => Connection | null;
  readonly isLeader: () => boolean;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

export interface CallHooks {
  readonly dispatch: Dispatch;
  /** Answers the request that another member passes on over a connection. */
  readonly relayed: (tunnel: Duplex, caller: Caller) => void;
}

/** What followers have the leader do: answer requests, and record what they have observed. */
export class LeaderCalls {
  readonly #parts: Parts;
  readonly records: FollowerRecords;
  #leave: () => void = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.records = new FollowerRecords({
      ...parts,
      send: async (records) => askLeader(this.#connected(), 'record', records),
    });
  }

  /** Opens a connection to the HTTP server of the leader. Rejects with `ClusterAway`: nothing was sent. */
  async open(caller: Caller): Promise<Duplex> {
    return callLeader(this.#connected(), caller);
  }

  record(command: AnyCommand, context: CommandContext): void {
    this.records.add(command, context);
  }

  /** Takes the calls of the followers, as the leader. */
  take({ dispatch, relayed }: CallHooks): void {
    const connection = this.#parts.connection();
    if (connection === null) return;
    this.answer('record', (records) => recordAll(records, dispatch));
    this.#leave = takeCalls(connection, relayed, this.#invalid);
  }

  /** Answers one kind of request of the other members. */
  answer(kind: LeaderRequest, answer: (request: unknown) => unknown): void {
    const connection = this.#parts.connection();
    if (connection) answerMembers(connection, kind, answer, this.#invalid);
  }

  readonly #invalid = (error: unknown): void =>
    this.#parts.warn('a member sent an invalid request', { error: String(error) });

  stop(): void {
    this.#leave();
    this.records.stop();
  }

  #connected(): Connection {
    const connection = this.#parts.connection();
    if (connection === null) throw new ClusterAway('not connected');
    return connection;
  }
}
