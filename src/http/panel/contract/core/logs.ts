import { z } from 'zod';
import { post, routes } from '../route.js';
import { body, optionalFlag, text } from '../schemas/fields.js';

const prefix = '/panel/api/server';

/** Maximum number of lines: 1 to 10000. */
const params = z.object({ count: z.string() });

/** An empty form field counts as missing. */
const flag = z.preprocess((value) => (value === '' ? undefined : value), optionalFlag);

/** `Event`: 0 = direct, 1 = blocked, 2 = through a proxy. */
const Access = z.object({
  DateTime: z.string(),
  FromAddress: z.string(),
  ToAddress: z.string(),
  Inbound: z.string(),
  Outbound: z.string(),
  Email: z.string(),
  Event: z.int(),
});

/** Logs: one text, oldest line first; lists on the paths of 3x-ui. */
export const logRoutes = routes(prefix, {
  logs: post('/logs/:count', {
    permission: { resource: 'logs', action: 'read' },
    summary: 'Get the last lines of the log of the panel, of a level or above; with syslog, from the system journal',
    params,
    body: body({ level: text, syslog: flag }),
    reply: z.union([z.string(), z.array(z.string())]),
  }),
  corelogs: post('/corelogs/:count', {
    permission: { resource: 'logs', action: 'read' },
    summary: 'Get the last lines of the access log of the core, filtered by keyword and outcome',
    aliases: [`${prefix}/xraylogs/:count`],
    params,
    body: body({ filter: text, showDirect: flag, showBlocked: flag, showProxy: flag }),
    reply: z.union([z.string(), z.array(Access)]),
  }),
});
