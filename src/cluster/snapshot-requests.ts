import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { sha256Of } from '../adapters/data-directory/files.js';
import type { SnapshotStore } from '../adapters/nats/snapshot-store.js';
import type { CopyTarget } from '../adapters/sqlite/mirror/mirror-copy.js';
import type { LogCopy } from '../adapters/sqlite/replication/log-copy.js';
import { textOf } from '../messages/error.js';
import { render } from '../messages/render.js';
import { isProof, proofOf } from './key-handover.js';

const ID_CHARS = 32;

/** `id`: chosen by the member, new for each snapshot. `proof`: that it has the master key. */
export const SnapshotQuestion = z.strictObject({
  member: z.string().max(63),
  id: z.hex().length(ID_CHARS),
  proof: z.string().max(64),
});

const Ready = z.strictObject({
  state: z.literal('ready'),
  parts: z.int().positive(),
  position: z.int().positive(),
  hash: z.string(),
  sha256: z.string(),
  proof: z.string(),
});
export type ReadySnapshot = z.output<typeof Ready>;

export const SnapshotAnswer = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('making') }),
  z.strictObject({ state: z.literal('refused') }),
  z.strictObject({ state: z.literal('failed'), why: z.string() }),
  Ready,
]);

/** What the leader proves about a snapshot, so that no other one can take its place. */
export const provenValues = (id: string, { parts, position, hash, sha256 }: Omit<ReadySnapshot, 'state' | 'proof'>) =>
  ['snapshot', id, parts, position, hash, sha256] as const;

/** Who asks: the key that proves it, and what the copy must be limited to; null = everything, for a member. */
export interface Recipient {
  readonly key: Buffer;
  readonly mirror: CopyTarget | null;
}

interface Parts {
  /** Null: a mirror that was removed. */
  readonly recipient: (member: string) => Recipient | null;
  readonly store: () => Promise<SnapshotStore>;
  /** Copies the database of the log into a file, in another process. */
  readonly copy: (file: string, mirror: CopyTarget | null) => Promise<LogCopy>;
  /** Resolves to whether the cluster has confirmed everything that this panel has appended up to now. */
  readonly confirmed: () => Promise<boolean>;
  /** A file that may be created. */
  readonly file: string;
}

/** Makes snapshots of the log of the leader for other members, one at a time. */
export class SnapshotRequests {
  readonly #parts: Parts;
  readonly #made = new Map<string, z.output<typeof SnapshotAnswer>>();
  #making: string | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers a member, which asks until its snapshot is ready. Throws for an invalid request. */
  answer(question: unknown): z.output<typeof SnapshotAnswer> {
    const { member, id, proof } = SnapshotQuestion.parse(question);
    const recipient = this.#parts.recipient(member);
    if (recipient === null || !isProof(proof, recipient.key, ['request', member, id])) return { state: 'refused' };
    const made = this.#made.get(id);
    if (made) return made;
    if (this.#making === null) void this.#make(id, recipient);
    return { state: 'making' };
  }

  async #make(id: string, { key, mirror }: Recipient): Promise<void> {
    this.#making = id;
    const { file, copy, store, confirmed } = this.#parts;
    // Answers are kept only for the members that ask now.
    this.#made.clear();
    try {
      await rm(file, { force: true });
      const { position, hash } = await copy(file, mirror);
      // Otherwise the new member could have events that another leader replaces.
      if (!(await confirmed())) throw new Error('the cluster has not confirmed the last events');
      const sha256 = await sha256Of(file);
      const parts = await (await store()).put(id, file);
      const about = { parts, position, hash, sha256 };
      this.#made.set(id, { state: 'ready', ...about, proof: proofOf(key, provenValues(id, about)) });
    } catch (error) {
      this.#made.set(id, { state: 'failed', why: render(textOf(error), 'en') });
    } finally {
      this.#making = null;
      await rm(file, { force: true });
    }
  }
}
