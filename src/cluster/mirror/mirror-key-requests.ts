import { z } from 'zod';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import { givenKey, mirrorKey, mirrorUse, reducedOf } from '../../adapters/sqlite/mirror/mirror-keys.js';
import type { ReducedBox } from '../../adapters/sqlite/mirror/reduced-boxes.js';
import { keysOf } from '../../adapters/sqlite/replication/batch-codec.js';
import { ClusterAway } from '../../commands/ports/cluster.js';
import { reducedForLinks } from '../../projections/subscription/link-config.js';
import { isProof, proofOf } from '../key-handover.js';
import { approvalOf } from './approval.js';

/** Events in one question. */
export const MAX_EVENTS = 200;
const ID_CHARS = 32;

/** A mirror asks for what it needs to read the events of a range. `proof`: that it has its key. */
export const KeysQuestion = z.strictObject({
  member: z.string().max(63),
  id: z.hex().length(ID_CHARS),
  first: z.int().positive(),
  last: z.int().positive(),
  proof: z.string().max(64),
});

export type KeysQuestion = z.output<typeof KeysQuestion>;

/** Keys are sealed with the key of the mirror (Base64); null = destroyed. `proof`: over everything before. */
export const KeysAnswer = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('keys'),
    keys: z.array(z.tuple([z.string(), z.base64().nullable()])),
    reduced: z.array(z.strictObject({ event: z.string(), key: z.string(), box: z.base64() })),
    proof: z.string(),
  }),
  z.strictObject({ state: z.literal('removed'), proof: z.string() }),
]);
export type KeysAnswer = z.output<typeof KeysAnswer>;

/** What the leader proves about an answer. */
export const provenAnswer = (id: string, answer: object): readonly string[] => {
  const { proof: _, ...rest } = answer as { proof?: unknown };
  return ['mirror keys', id, JSON.stringify(rest)];
};

interface Parts {
  readonly log: SqliteEventLog;
  readonly master: () => Buffer;
}

/** Gives mirrors the data keys that links need, as the leader. */
export class MirrorKeyRequests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws for an invalid request, and when the log of this leader does not have the events yet. */
  answer(question: unknown): KeysAnswer {
    const { member, id, first, last, proof } = KeysQuestion.parse(question);
    const { log, master } = this.#parts;
    const approval = approvalOf(log, member);
    if (approval === null) throw new Error(`${member} is not a subscription mirror`);
    const key = mirrorKey(master(), approval.fingerprint);
    if (!isProof(proof, key, ['keys', member, id, first, last])) throw new Error(`${member} has another key`);
    if (last < first || last - first >= MAX_EVENTS) throw new Error(`at most ${MAX_EVENTS} events, in order`);
    const proven = <T extends object>(answer: T): T & { proof: string } => ({
      ...answer,
      proof: proofOf(key, provenAnswer(id, answer)),
    });
    if (approval.isRemoved) return proven({ state: 'removed' as const });
    if (log.head().position < last) throw new ClusterAway('the events are not here yet');
    return proven({ state: 'keys' as const, ...this.#keys(first, last, key) });
  }

  #keys(first: number, last: number, key: Buffer) {
    const { stored } = this.#parts.log;
    const forwarding = { keyring: stored.keyring, key, reduce: reducedForLinks };
    const keys = new Map<string, string | null>();
    const reduced: ReducedBox[] = [];
    for (const row of stored.rows(first - 1, last - first + 1)) {
      for (const id of keysOf(row)) {
        if (mirrorUse(id) === 'given') keys.set(id, givenKey(id, forwarding)?.toString('base64') ?? null);
        else if (mirrorUse(id) === 'reduced') keys.set(id, null);
      }
      for (const one of reducedOf(row, forwarding)) {
        keys.set(one.reduced.key, one.wrapped.toString('base64'));
        reduced.push(one.reduced);
      }
    }
    return { keys: [...keys], reduced };
  }
}
