/** Versions are three numbers with dots; tags may have a `v` before them. */

/** Executables of the core: released, installed and selected ones. */
export interface CoreVersions {
  /** What fixes the executable from outside, so that nothing can be chosen here; null when nothing does. */
  readonly fixedBy: string | null;
  /** Tags of the releases, newest first; a list of the last 15 minutes will do. Rejects with `ReleaseError`. */
  available(): Promise<readonly string[]>;
  /** Versions in the data directory, newest first. */
  installed(): readonly string[];
  /** The version that counts, of those that are installed; null = none of them was chosen. */
  chosen(): string | null;
  /** Takes the version that is installed, or downloads it and checks it. Rejects with `ReleaseError`. */
  stage(version: string): Promise<StagedCore>;
  /** Puts the executable that counts now among the installed ones; null when there is none that can be kept. */
  keep(version: string | null): Promise<string | null>;
  /** Makes an installed version the one that counts, at once or not at all, and names its executable. Null = as if never chosen. */
  choose(version: string | null): string | null;
  /** Deletes an installed version. */
  remove(version: string): void;
  /** Deletes what an interrupted installation left behind. */
  tidy(): void;
}

/** A downloaded executable that is not installed yet. */
export interface StagedCore {
  readonly binary: string;
  /** Of the executable, hex. */
  readonly sha256: string;
  /** Puts it among the installed ones, at once or not at all. */
  install(): Promise<void>;
  /** Leaves nothing behind; harmless after `install`. */
  discard(): Promise<void>;
}

/** New versions of the panel itself. */
export interface PanelReleases {
  /** Tag of the newest release. Rejects with `ReleaseError`. */
  latest(): Promise<string>;
  /** Downloads, checks and starts it once without effect; then it waits in the data directory. Rejects with `ReleaseError`. */
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
  readonly reason: string | null;
}

export interface GeoFiles {
  /** Gets what is newer than what is here, one after the other. The old file stays where that fails. Never rejects. */
  update(files: readonly GeoFileName[]): Promise<readonly GeoResult[]>;
}

/** `message` is for people. Nothing was changed. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}
