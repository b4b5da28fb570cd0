import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, type KnownAuth, post, routes } from '../route.js';
import { body, loose, text } from '../schemas/fields.js';
import { contentOf, optionalObject } from '../schemas/json-text.js';
import { TextCode } from '../schemas/text-code.js';

const templateText = optionalObject.meta({ type: 'string', ...contentOf('CoreTemplate') });
/** The template under its own name, the name in 3x-ui, or the name in 3xui-api-client. */
const template = body({
  coreSetting: templateText,
  xraySetting: templateText,
  content: templateText,
  outboundTestUrl: text,
});
const OutboundTraffic = z.object({ id: z.int(), tag: z.string(), up: z.int(), down: z.int(), total: z.int() });
const CoreSettings = z.object({
  coreSetting: z.string().meta(contentOf('CoreTemplate')),
  inboundTags: z.string(),
  clientReverseTags: z.string(),
  outboundTestUrl: z.string(),
});

/** JSON as a text, or as an object in a JSON body. */
const json = loose('string', (value) => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
});
const whole = z.int().nonnegative();
const ProbeResult = z.object({
  success: z.boolean(),
  delay: whole,
  mode: z.enum(['tcp', 'http']),
  error: z.string().optional(),
  errorCode: TextCode.optional(),
  statusCode: whole.optional(),
  connectMs: whole.optional(),
  tlsMs: whole.optional(),
  ttfbMs: whole.optional(),
  endpoints: z
    .array(
      z.object({
        address: z.string(),
        success: z.boolean(),
        delay: whole,
        error: z.string().optional(),
        errorCode: TextCode.optional(),
      }),
    )
    .readonly()
    .optional(),
});
const actionOf = <const A extends readonly [string, ...string[]]>(known: A) =>
  z.object({ action: z.enum(known, issue('input.notOneOf', { known })) });
const wgAction = actionOf(['data', 'del', 'config', 'reg', 'license']);
const vpnAction = actionOf(['countries', 'servers', 'reg', 'setKey', 'data', 'del']);

const providers = (auth: KnownAuth, alsoAs: (path: string) => readonly string[]) => ({
  wgprov: post('/wgprov/:action', {
    permission: { resource: 'core', action: 'update' },
    summary: 'Get, create, change or delete the registration with the tunnel provider',
    auth,
    aliases: alsoAs('/warp/:action'),
    params: wgAction,
    body: body({ privateKey: text, publicKey: text, license: text }),
    reply: z.string(),
  }),
  vpnprov: post('/vpnprov/:action', {
    permission: { resource: 'core', action: 'update' },
    summary: 'Get or change the account with the VPN provider, and list its servers',
    auth,
    aliases: alsoAs('/nord/:action'),
    params: vpnAction,
    body: body({ countryId: text, token: text, key: text }),
    reply: z.string(),
  }),
});

/** `under`: the path prefixes of the route; `named`: the prefixes where it also has its 3x-ui name, if that differs. */
const table = (auth: KnownAuth, under: readonly string[], named = under) => {
  const also = (path: string) => under.map((prefix) => prefix + path);
  const alsoAs = (path: string) => named.map((prefix) => prefix + path);
  return {
    read: post('/', {
      permission: { resource: 'core', action: 'read' },
      summary: 'Get the template, the tags that it may use, and the URL of outbound tests',
      auth,
      aliases: also('/'),
      reply: z.union([CoreSettings, z.string()]),
    }),
    getDefaultJsonConfig: get('/getDefaultJsonConfig', {
      permission: { resource: 'core', action: 'read' },
      summary: 'Get the built-in core template',
      auth,
      aliases: also('/getDefaultJsonConfig'),
      reply: z.record(z.string(), z.unknown()),
    }),
    getOutboundsTraffic: get('/getOutboundsTraffic', {
      permission: { resource: 'core', action: 'read' },
      summary: 'Get the counters of the outbounds',
      auth,
      aliases: also('/getOutboundsTraffic'),
      reply: z.array(OutboundTraffic),
    }),
    update: post('/update', {
      permission: { resource: 'core', action: 'update' },
      summary: 'Replace the template; the core tests it before anything is saved',
      auth,
      aliases: also('/update'),
      body: template,
      reply: z.object({ warnings: z.array(z.string()).readonly() }).nullable(),
    }),
    check: post('/check', {
      permission: { resource: 'core', action: 'run' },
      summary: 'Test a template without saving it, and get the whole configuration that the core would run',
      auth,
      body: template,
      reply: z.object({
        /** False without an executable of the core: only the rules of the panel were checked. */
        tested: z.boolean(),
        warnings: z.array(z.string()).readonly(),
        /** As `getConfigJson` returns it. */
        config: z.record(z.string(), z.unknown()),
      }),
    }),
    resetOutboundsTraffic: post('/resetOutboundsTraffic', {
      permission: { resource: 'core', action: 'update' },
      summary: 'Reset the counters of one outbound, or of all',
      auth,
      aliases: also('/resetOutboundsTraffic'),
      body: body({ tag: text }),
    }),
    testOutbound: post('/testOutbound', {
      permission: { resource: 'core', action: 'run' },
      summary: 'Test an outbound: connect to its servers, or request the test URL through it',
      auth,
      aliases: also('/testOutbound'),
      // 3xui-api-client calls the list `outbounds`.
      body: body({ outbound: json, allOutbounds: json, outbounds: json, mode: text }),
      reply: ProbeResult,
    }),
    ...providers(auth, alsoAs),
  };
};
const result = {
  permission: { resource: 'core', action: 'read' },
  summary: 'Get the last lines that the core printed',
  reply: z.string(),
} as const;

/** The template, for browser sessions. */
export const coreSettingRoutes = routes('/panel/core', {
  ...table('session', ['/panel/xray']),
  getCoreResult: get('/getCoreResult', { ...result, auth: 'session', aliases: ['/panel/xray/getXrayResult'] }),
});

/** The same at the paths of later panels, also with the Bearer token. */
export const coreSettingApiRoutes = routes('/panel/api/xray', {
  ...table('panel', [], ['/panel/api/xray']),
  getCoreResult: get('/getXrayResult', result),
});
