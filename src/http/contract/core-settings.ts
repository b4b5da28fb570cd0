import { z } from 'zod';
import { type Auth, get, post, routes } from './route.js';
import { body, text } from './schemas/fields.js';
import { optionalObject } from './schemas/json-text.js';

/** The template under its own name or under that of 3x-ui. */
const template = body({ coreSetting: optionalObject, xraySetting: optionalObject, outboundTestUrl: text });
const OutboundTraffic = z.object({ id: z.int(), tag: z.string(), up: z.int(), down: z.int(), total: z.int() });
const CoreSettings = z.object({
  coreSetting: z.string(),
  inboundTags: z.string(),
  clientReverseTags: z.string(),
  outboundTestUrl: z.string(),
});

/** `under`: the prefixes at which the same route answers. The one for the core's output has two names. */
const table = (auth: Auth, under: readonly string[]) => {
  const also = (path: string) => under.map((prefix) => prefix + path);
  return {
    read: post('/', {
      summary: 'The template, the tags that it may name, and the probe address of outbound tests',
      auth,
      aliases: also('/'),
      reply: z.union([CoreSettings, z.string()]),
    }),
    getDefaultJsonConfig: get('/getDefaultJsonConfig', {
      summary: 'The built-in core template',
      auth,
      aliases: also('/getDefaultJsonConfig'),
      reply: z.record(z.string(), z.unknown()),
    }),
    getOutboundsTraffic: get('/getOutboundsTraffic', {
      summary: 'Counters of the outbounds',
      auth,
      aliases: also('/getOutboundsTraffic'),
      reply: z.array(OutboundTraffic),
    }),
    update: post('/update', {
      summary: 'Replace the template; the core is asked before anything is written',
      auth,
      aliases: also('/update'),
      body: template,
    }),
    resetOutboundsTraffic: post('/resetOutboundsTraffic', {
      summary: 'Zero the counters of one outbound, or of all',
      auth,
      aliases: also('/resetOutboundsTraffic'),
      body: body({ tag: text }),
    }),
  };
};
const result = { summary: 'The last lines that the core printed', reply: z.string() };

/** The template for a browser. */
export const coreSettingRoutes = routes('/panel/core', {
  ...table('session', ['/panel/xray']),
  getCoreResult: get('/getCoreResult', { ...result, auth: 'session', aliases: ['/panel/xray/getXrayResult'] }),
});

/** The same where clients of later panels look for it, also with the Bearer token. */
export const coreSettingApiRoutes = routes('/panel/api/xray', {
  ...table('panel', []),
  getCoreResult: get('/getXrayResult', result),
});
