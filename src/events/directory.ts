import { z } from 'zod';
import { defineEvent } from './log/event.js';

const Count = z.int().nonnegative();

export const DirectorySynced = defineEvent('DirectorySynced', {
  summary: 'The panel synced its clients with the directory, or the result of the sync changed.',
  class: 'measured',
  data: z.strictObject({
    added: Count,
    enabled: Count,
    disabled: Count,
    deleted: Count,
    /** Changes that a rule forbade. */
    rejected: Count,
    /** Why it was not done, or not all of it; a sentence without names. */
    error: z.string().nullable(),
  }),
  stream: () => 'directory',
});
/** How a sync went. */
export type DirectoryOutcome = Parameters<typeof DirectorySynced>[0];

export const directoryEvents = [DirectorySynced] as const;
