import { z } from 'zod';
import { Count } from './fields.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

export const DirectorySynced = defineEvent('DirectorySynced', {
  summary: 'The panel synced its clients with the directory, or the result of the sync changed.',
  recordedBy: {
    RecordDirectorySync: 'a sync changed clients, or its error or number of rejected changes differs from the last one',
  },
  class: 'measured',
  data: z.strictObject({
    added: Count.describe('Clients added.'),
    enabled: Count.describe('Clients enabled.'),
    disabled: Count.describe('Clients disabled.'),
    deleted: Count.describe('Clients deleted.'),
    rejected: Count.describe('Changes that a rule of the panel rejected.'),
    error: textSchema
      .nullable()
      .describe('Why nothing or not everything was synced, without personal data; null = everything was.'),
  }),
  stream: () => 'directory',
});
/** How a sync went. */
export type DirectoryOutcome = Parameters<typeof DirectorySynced>[0];

export const directoryEvents = [DirectorySynced] as const;
