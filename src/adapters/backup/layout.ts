/** A backup has the tables of the log and this one: a row that describes the backup and holds its key. */
export const BACKUP_SCHEMA = `
CREATE TABLE backup (
  format INTEGER NOT NULL,
  made INTEGER NOT NULL,
  release TEXT NOT NULL,
  generation TEXT NOT NULL,
  position INTEGER NOT NULL,
  hash TEXT NOT NULL,
  sealing TEXT NOT NULL,
  salt BLOB NOT NULL,
  cost INTEGER NOT NULL,
  key BLOB NOT NULL
) STRICT;
`;

/** The format of that row; a higher one is of a newer release. */
export const FORMAT = 1;

/** Of that row. */
export interface BackupRow {
  readonly format: number;
  /** When it was made, in ms since 1970. */
  readonly made: number;
  /** The version of the panel that made it. */
  readonly release: string;
  readonly generation: string;
  /** The last event in it, and its chain hash in hex. */
  readonly position: number;
  readonly hash: string;
  readonly sealing: 'none' | 'scrypt';
  readonly salt: Buffer;
  readonly cost: number;
  readonly key: Buffer;
}
