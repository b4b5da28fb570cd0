import { randomBytes } from 'node:crypto';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import { mirrorUse } from '../../adapters/sqlite/mirror/mirror-keys.js';
import type { ReducedBox } from '../../adapters/sqlite/mirror/reduced-boxes.js';
import { keysOf } from '../../adapters/sqlite/replication/batch-codec.js';
import { type IncomingBatch, LogReplication } from '../../adapters/sqlite/replication/log-replication.js';
import { ClusterAway } from '../../commands/ports/cluster.js';
import type { FollowingLog, WrappedKeys } from '../following.js';
import { isProof, proofOf } from '../key-handover.js';
import { KeysAnswer, type KeysQuestion, MAX_EVENTS, provenAnswer } from './mirror-key-requests.js';

/** The leader gives this mirror no more keys: it was removed from the cluster. */
export class MirrorRemoved extends Error {
  override readonly name = 'MirrorRemoved';
}

interface Parts {
  /** The name of this mirror. */
  readonly name: string;
  readonly log: SqliteEventLog;
  /** See `mirrorKey`. */
  readonly key: Buffer;
  /** Rejects with `ClusterAway` when no leader answers. */
  readonly ask: (question: KeysQuestion) => Promise<unknown>;
}

/** The log of a subscription mirror, which asks the leader for the data keys of what it appends. */
export class MirrorLog implements FollowingLog {
  readonly #parts: Parts;
  readonly #replica: LogReplication;
  #reduced: readonly ReducedBox[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#replica = new LogReplication(parts.log);
  }

  head = (): ReturnType<FollowingLog['head']> => this.#replica.head();
  hashAt = (position: number): string | null => this.#replica.hashAt(position);
  decode: FollowingLog['decode'] = (batch) => this.#replica.decode(batch);

  ingest(batches: readonly IncomingBatch[], keys: WrappedKeys): void {
    this.#parts.log.ingest(batches, keys, this.#reduced);
    this.#reduced = [];
  }

  /** The keys that links need; null for all others. Rejects with `ClusterAway` and `MirrorRemoved`. */
  readonly keysOf = async (batches: readonly IncomingBatch[]): Promise<WrappedKeys> => {
    const { keyring } = this.#parts.log.stored;
    const keys = new Map<string, Buffer | null>();
    const reduced: ReducedBox[] = [];
    const wanted: number[] = [];
    for (const row of batches.flatMap(({ rows }) => rows)) {
      const unknown = keysOf(row).filter((id) => keyring.wrapped(id) === undefined);
      for (const id of unknown) keys.set(id, null);
      if (unknown.some((id) => mirrorUse(id) !== 'withheld')) wanted.push(row.position);
    }
    for (let i = 0; i < wanted.length; ) {
      const first = wanted[i] as number;
      const together = wanted.slice(i).filter((position) => position < first + MAX_EVENTS);
      const found = await this.#ask(first, together.at(-1) as number);
      for (const [id, wrapped] of found.keys)
        if (keys.has(id)) keys.set(id, wrapped === null ? null : Buffer.from(wrapped, 'base64'));
      reduced.push(...found.reduced.filter(({ key }) => keys.has(key)));
      i += together.length;
    }
    this.#reduced = reduced;
    return keys;
  };

  async #ask(first: number, last: number) {
    const { name: member, key, ask } = this.#parts;
    const id = randomBytes(16).toString('hex');
    const proof = proofOf(key, ['keys', member, id, first, last]);
    const answer = KeysAnswer.parse(await ask({ member, id, first, last, proof }));
    // Another answer is none: the leader is asked again.
    if (!isProof(answer.proof, key, provenAnswer(id, answer))) throw new ClusterAway('the answer is not of the leader');
    if (answer.state === 'removed') throw new MirrorRemoved('this mirror was removed from the cluster');
    return answer;
  }
}
