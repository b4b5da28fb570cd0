/** What a message of the stream says about the events in it. */
export interface BatchLabel {
  /** Positions of the first and the last event. */
  readonly first: number;
  readonly last: number;
  /** Chain hash of the last event, hex. */
  readonly hash: string;
  /** Id of the first event. The stream stores a batch with the same id once. */
  readonly id: string;
}

/** The events of one or several whole commands, in log order. */
export interface Batch extends BatchLabel {
  readonly body: Uint8Array;
}

/** A batch in the stream. */
export interface StreamedBatch extends Batch {
  /** The sequence of its last message. */
  readonly sequence: number;
}

/** The stream did not end where it was expected to: another member has appended, or messages were lost. */
export class WrongSequence extends Error {
  override readonly name = 'WrongSequence';
}

/** The stream could not be reached, or has no quorum. The same call may succeed later. */
export class ClusterAway extends Error {
  override readonly name = 'ClusterAway';
}

export interface StreamEnds {
  /** Sequence before the first message, and of the last one. Equal for an empty stream. */
  readonly before: number;
  readonly last: number;
  /** The position of the log at which the stream was created: it has only later events. */
  readonly base: number;
}

/** The replicated stream of batches. Every call rejects with `ClusterAway` when it gets no answer in time. */
export interface BatchStream {
  /** Where the stream begins and ends. */
  ends(): Promise<StreamEnds>;
  /** The message with the lowest sequence from `sequence` on, whole or a part of a batch; null after the last one. */
  labelFrom(sequence: number): Promise<(BatchLabel & { readonly sequence: number; readonly complete: boolean }) | null>;
  /** Appends a batch if the stream ends at `after`. Resolves to its sequence. Rejects with `WrongSequence`. */
  publish(batch: Batch, after: number): Promise<number>;
  /** Calls `apply` with the batches after a sequence, in order, until `signal` is aborted. Rejects when `apply` does. */
  follow(
    after: number,
    apply: (batches: readonly StreamedBatch[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Who leads: a key that expires unless its holder renews it. It says who should write; the stream decides who can. */
export interface Lease {
  /** Takes the lease if it is free. */
  take(): Promise<boolean>;
  /** False: another member has it, or it has expired. */
  renew(): Promise<boolean>;
  /** Frees it at once. */
  release(): Promise<void>;
  /** The name of the member that has it, or null. */
  holder(): Promise<string | null>;
}

/** The data keys of the log, each encrypted with the master key, which is not here. */
export interface KeyBucket {
  put(id: string, wrapped: Uint8Array): Promise<void>;
  /** Null for a key that is not in the bucket: it was destroyed. */
  get(id: string): Promise<Uint8Array | null>;
  destroy(id: string): Promise<void>;
  /** The ids of all keys. */
  ids(): Promise<readonly string[]>;
}
