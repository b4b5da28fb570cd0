import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';
/** Versions are three numbers with dots; tags may have a `v` before them. */

/** Executables of the core: released, installed and selected ones. */
export interface CoreVersions {
  /** The variable that fixes the executable, so that no version can be chosen; null when there is none. */
  readonly fixedBy: string | null;
  /** Tags of the releases, newest first, at most 15 minutes old. Rejects with `ReleaseError`. */
  available(): Promise<readonly string[]>;
  /** Versions in the data directory, newest first. */
  installed(): readonly string[];
  /** The chosen one of the installed versions; null = none was chosen. */
  chosen(): string | null;
  /** Resolves to the installed version, or downloads and verifies it. Rejects with `ReleaseError`. */
  stage(version: string): Promise<StagedCore>;
  /** Takes a version that `fetch` writes to a path, which is not installed yet. Rejects as `fetch` does. */
  receive(version: string, fetch: (path: string) => Promise<void>): Promise<StagedCore>;
  /** Copies the executable in use to the installed versions. Resolves to its version, or to null when it cannot be kept. */
  keep(version: string | null): Promise<string | null>;
  /** Chooses an installed version, atomically, and returns its executable. Null = none is chosen from now on. */
  choose(version: string | null): string | null;
  /** Deletes an installed version. */
  remove(version: string): void;
  /** Deletes the remains of an interrupted installation. */
  removeUnfinished(): void;
}

/** A downloaded executable that is not installed yet. */
export interface StagedCore {
  readonly binary: string;
  /** Of the executable, hex. */
  readonly sha256: string;
  /** Moves it to the installed versions, atomically. */
  install(): Promise<void>;
  /** Deletes it; does nothing after `install`. */
  discard(): Promise<void>;
}

/** New versions of the panel itself. */
export interface PanelReleases {
  /** Tag of the newest release. Rejects with `ReleaseError`. */
  latest(): Promise<string>;
  /** Downloads and verifies it into the data directory, and tests that it runs. Rejects with `ReleaseError`. */
  stage(tag: string): Promise<{ readonly version: string; readonly sha256: string }>;
}

export const geoFiles = [
  'geoip.dat',
  'geosite.dat',
  'geoip_IR.dat',
  'geosite_IR.dat',
  'geoip_RU.dat',
  'geosite_RU.dat',
] as const;
export type GeoFileName = (typeof geoFiles)[number];

export interface GeoResult {
  readonly file: GeoFileName;
  readonly outcome: 'updated' | 'unchanged' | 'failed';
  /** Hex; null unless it was updated. */
  readonly sha256: string | null;
  /** Why it failed. */
  readonly reason: Text | null;
}

export interface GeoFiles {
  /** Downloads newer files, one after the other. When a download fails, the old file stays. Never rejects. */
  update(files: readonly GeoFileName[]): Promise<readonly GeoResult[]>;
}

/** A download or an installation failed; nothing was changed. */
export class ReleaseError extends MessageError {
  override readonly name = 'ReleaseError';
}

/** The error for an executable that reports another version than expected, or none. */
export function wrongVersion(expected: string, found: string | null): ReleaseError {
  return new ReleaseError(
    found ? message('releases.versionMismatch', { expected, found }) : message('releases.versionUnreported'),
  );
}
