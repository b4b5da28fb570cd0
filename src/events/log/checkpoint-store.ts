/** A part of a checkpoint. Parts with the same content are stored once. */
export interface CheckpointPart {
  /** What it belongs to. */
  readonly section: string;
  /** The smallest and the largest number of a client in it; 0 and 0 = it is not about single clients. */
  readonly low: number;
  readonly high: number;
  readonly content: Buffer;
}

/** A part in the store. Parts with the same digest have the same content. */
export interface StoredPart extends CheckpointPart {
  readonly digest: string;
}

/** A stored part that was taken out because it contains erased data. */
export interface TakenPart extends CheckpointPart {
  readonly id: number;
}

/**
 * Stores the state of the read models at some positions of the log. It is a cache: nothing is lost when it is empty. No
 * method throws because of the disk: the cache is then empty.
 */
export interface CheckpointStore {
  /** The last checkpoint at or before a position; 0 = none. */
  nearest(position: number): number;
  /**
   * The parts of a checkpoint in the order in which they were saved. It ends early if a part cannot be read. Those that
   * `isKnown` accepts are not read: their content is empty.
   */
  parts(position: number, isKnown: (digest: string) => boolean): Iterable<StoredPart>;
  /** Stores a part at each step. The checkpoint exists after the last one. */
  save(position: number, parts: Iterable<CheckpointPart>): Generator<void, void, void>;
  /** Removes the checkpoints from `first` to `last`, both inclusive. */
  remove(first: number, last: number): void;
  /** Takes the parts of a section that contain a client out of the store. Until they are put back, their checkpoints are unusable. */
  take(section: string, client: number): readonly TakenPart[];
  put(part: TakenPart): void;
  clear(): void;
  close(): void;
}
