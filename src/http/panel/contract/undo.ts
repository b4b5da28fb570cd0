import { z } from 'zod';
import { post, routes } from './route.js';
import { body, Id, optionalFlag } from './schemas/fields.js';
import { Preview, Undone } from './schemas/preview.js';

/** Undo of a command, named by any of its events. */
export const undoRoutes = routes('/panel/api/events', {
  undo: post('/:position/undo', {
    // Each compensating command needs a permission of its own as well.
    permission: { resource: 'audit', action: 'undo' },
    filtered: true,
    summary:
      'Take back the command that an event belongs to, as far as it can be; with `dryRun`, only show what would happen',
    params: z.object({ position: Id }),
    body: body({ dryRun: optionalFlag }),
    reply: z.union([Undone, Preview]),
  }),
});
