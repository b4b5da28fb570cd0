import type { GeoKind } from '../../events/geo/geo.js';
import type { GeoContent } from '../../events/geo/geo-document.js';
import type { Text } from '../../messages/message.js';

/** Names of lists that are told of a file; it may have more. */
export const MOST_TAGS = 100;

/** What a source is, as far as its file depends on it. */
export interface GeoPlace {
  readonly type: GeoKind;
  readonly alias: string;
  readonly url: string;
}

/** The files of the admin's own geo sources, in the folder where the core looks for them. */
export interface GeoSourceFiles {
  /** Why the address of a source would not be asked, or null. Resolves names. */
  problem(url: string): Promise<Text | null>;
  /**
   * Gets what a source gives, checks it by reading it, and leaves it in the folder under a name of its own. Null = there
   * is nothing newer than `known`, which is here. Rejects with a `ReleaseError` or `WebError`, or what the system says.
   */
  fetch(place: GeoPlace, known: GeoContent | null, signal: AbortSignal): Promise<StagedGeo | null>;
  /** Why `fetch` or `place` failed, for people. */
  reasonOf(error: unknown): string;
  /** Whether a file of this name and content is here, as a plain file. */
  has(file: string, sha256: string): Promise<boolean>;
  /** Whether something of this name is here. */
  exists(file: string): boolean;
  /** Takes a file away; a success when there is none. */
  remove(file: string): void;
  /** Where a file is, or would be. */
  pathOf(file: string): string;
  /** Takes away what an interrupted download left. */
  tidy(): void;
}

/** A checked file that no rule names yet. */
export interface StagedGeo {
  /** What it is called for now: a plain name that a configuration could use. */
  readonly name: string;
  readonly content: GeoContent;
  /** Makes it the file of this name, at once or not at all. Resolves to what undoes that, or leaves no trace of it. */
  place(file: string): Promise<Placed>;
  /** Leaves nothing behind; harmless after `place`. */
  discard(): Promise<void>;
}

/** Exactly one of the two is called. */
export interface Placed {
  keep(): Promise<void>;
  undo(): Promise<void>;
}
