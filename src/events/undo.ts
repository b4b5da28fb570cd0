import { z } from 'zod';
import { Position } from './fields.js';
import { defineEvent } from './log/event.js';

export const CommandUndone = defineEvent('CommandUndone', {
  summary:
    'An earlier command was undone, as far as it could be. The events after this one, in the same command, do so.',
  recordedBy: { RecordUndo: 'an admin undoes a command' },
  data: z.strictObject({
    from: Position.describe('The first event of the command that was undone.'),
    to: Position.describe('The last event of that command.'),
  }),
  stream: () => 'undo',
});

export const undoEvents = [CommandUndone] as const;
