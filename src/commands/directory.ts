import { type DirectoryOutcome, DirectorySynced } from '../events/directory.js';
import type { Command, Decider } from './command.js';

/** Only for an outcome that is news: a sync every minute must not grow the log. */
export type DirectoryCommand = Command<'RecordDirectorySync', DirectoryOutcome>;

export const directory: Decider<DirectoryCommand> = {
  RecordDirectorySync: (outcome) => [DirectorySynced(outcome)],
};
