import { z } from 'zod';

/** A login of an admin that is still valid. */
export const Session = z
  .object({
    id: z.string(),
    /** User agent of the browser; empty = not known. */
    device: z.string(),
    /** IP address of the last use, or else of the login; null = not known. */
    ip: z.string().nullable(),
    startedAt: z.number(),
    /** Last request since the panel started; null = none. */
    usedAt: z.number().nullable(),
    expiresAt: z.number(),
    /** Whether it is the session of this request. */
    current: z.boolean(),
  })
  .meta({ id: 'Session' });
