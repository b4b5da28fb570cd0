import type { Text } from '../../../messages/message.js';

/** A file that every machine of a cluster has: the executable of a core version, or a geo file. */
export interface SharedFile {
  readonly kind: 'core' | 'geo';
  /** The version, or the file name. */
  readonly name: string;
}

/** A file that a machine could not install. */
export interface MissingFile {
  /** Such as `core 26.7.28` or `geoip.dat`. */
  readonly file: string;
  readonly why: Text;
}

/**
 * Copies a file of the leader to a new file. Rejects with `ClusterAway` when the leader does not answer, and with
 * `ReleaseError` when it does not have the file.
 */
export type FetchFile = (file: SharedFile, path: string) => Promise<void>;
