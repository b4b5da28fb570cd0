import type { GeoKind } from '../../events/geo/geo.js';
import type { GeoContent } from '../../events/geo/geo-document.js';
import type { Text } from '../../messages/message.js';

/** The number of list names that are reported; a file may have more. */
export const MAX_TAGS = 100;

/** The properties of a source that determine its file. */
export interface GeoPlace {
  readonly type: GeoKind;
  readonly alias: string;
  readonly url: string;
}

/** The files of the custom geo sources, in the folder from which the core reads them. */
export interface GeoSourceFiles {
  /** Why the panel does not send requests to the URL of a source, or null. Resolves names. */
  problem(url: string): Promise<Text | null>;
  /**
   * Downloads the file of a source, checks its content, and stores it in the folder under a temporary name. Null = there
   * is nothing newer than `known`, which is installed. Rejects with `ReleaseError`, `WebError` or a system error.
   */
  fetch(place: GeoPlace, known: GeoContent | null, signal: AbortSignal): Promise<StagedGeo | null>;
  /** Why `fetch` or `place` failed. */
  reasonOf(error: unknown): Text;
  /** Whether there is a plain file with this name and content. */
  has(file: string, sha256: string): Promise<boolean>;
  /** Puts a file in place that `fetch` writes to a path. Rejects as `fetch` does, and with `ReleaseError` for another content. */
  receive(file: string, sha256: string, fetch: (path: string) => Promise<void>): Promise<void>;
  /** Whether there is anything with this name. */
  exists(file: string): boolean;
  /** The size of a file in bytes and when it was written, in ms since 1970; null when there is none. */
  fileOf(file: string): { readonly bytes: number; readonly writtenAt: number } | null;
  /** Deletes a file; does nothing when there is none. */
  remove(file: string): void;
  /** The path of a file, whether or not it exists. */
  pathOf(file: string): string;
  /** Deletes the files of interrupted downloads. */
  removeTemporaryFiles(): void;
}

/** A checked file that is not in place yet. */
export interface StagedGeo {
  /** Its temporary name, which a configuration can use. */
  readonly name: string;
  readonly content: GeoContent;
  /** Renames it, atomically replacing the old file. Resolves to functions that confirm or undo that. */
  place(file: string): Promise<Placed>;
  /** Deletes it; does nothing after `place`. */
  discard(): Promise<void>;
}

/** Call exactly one of the two. */
export interface Placed {
  commit(): Promise<void>;
  undo(): Promise<void>;
}
