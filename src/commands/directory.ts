import { type DirectoryOutcome, DirectorySynced } from '../events/directory.js';
import type { Command, Decider } from './command.js';

/** Dispatched only when the result changed: a sync every minute must not grow the log. */
export type DirectoryCommand = Command<'RecordDirectorySync', DirectoryOutcome>;

export const directory: Decider<DirectoryCommand> = {
  RecordDirectorySync: (outcome) => [DirectorySynced(outcome)],
};
