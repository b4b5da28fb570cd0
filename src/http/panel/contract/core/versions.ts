import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, post, routes } from '../route.js';
import { body, optionalText } from '../schemas/fields.js';
import { TextCode } from '../schemas/text-code.js';

const prefix = '/panel/api/server';
const version = z.string().regex(/^(v?\d{1,6}\.\d{1,6}\.\d{1,6}|latest)$/, issue('input.notVersion'));
const GeoResult = z.object({
  file: z.string(),
  outcome: z.enum(['updated', 'unchanged', 'failed']),
  sha256: z.string().nullable(),
  reason: z.string().nullable(),
});
const geo = {
  summary: 'Update the geo files; the core restarts if it uses one that changed',
  reply: z.array(GeoResult),
};

/** Updates of the core, the panel itself and the geo files. */
export const versionRoutes = routes(prefix, {
  getCoreVersion: get('/getCoreVersion', {
    leader: true,
    permission: { resource: 'releases', action: 'read' },
    summary: 'List the versions of the core that can be installed, newest first',
    aliases: [`${prefix}/getXrayVersion`],
    reply: z.array(z.string()),
  }),
  installCore: post('/installCore/:version', {
    permission: { resource: 'releases', action: 'run' },
    summary: 'Install a version of the core; it is rolled back if it fails',
    aliases: [`${prefix}/installXray/:version`],
    params: z.object({ version }),
    reply: z.string(),
  }),
  coreVersionState: get('/coreVersionState', {
    leader: true,
    permission: { resource: 'releases', action: 'read' },
    summary: 'Get the installed versions of the core, the version before the current one, and the last rollback',
    reply: z.object({
      /** Newest first. They can be installed again without a download. */
      installed: z.array(z.string()),
      /** The variable that fixes the executable, so that no version can be installed; empty = none. */
      fixedBy: z.string(),
      /** The version before the last installation; empty = none. */
      previous: z.string(),
      /** Until when the current version is rolled back if the core exits; ms, 0 = it is not on trial. */
      trialUntil: z.int(),
      /** The last installation, if it was rolled back. `at` in ms; `restored` is empty if there was no version before. */
      rolledBack: z
        .object({
          at: z.int(),
          version: z.string(),
          restored: z.string(),
          reason: z.string(),
          reasonCode: TextCode,
        })
        .nullable(),
    }),
  }),
  getPanelUpdateInfo: get('/getPanelUpdateInfo', {
    leader: true,
    permission: { resource: 'releases', action: 'read' },
    summary: 'Get whether a newer version of the panel is available',
    reply: z.object({ currentVersion: z.string(), latestVersion: z.string(), updateAvailable: z.boolean() }),
  }),
  updatePanel: post('/updatePanel', {
    permission: { resource: 'releases', action: 'run' },
    summary: 'Update the panel to its newest release; the core keeps running',
    reply: z.string(),
  }),
  updateGeofile: post('/updateGeofile', {
    permission: { resource: 'geo', action: 'run' },
    ...geo,
    body: body({ fileName: optionalText }),
  }),
  updateOneGeofile: post('/updateGeofile/:fileName', {
    permission: { resource: 'geo', action: 'run' },
    ...geo,
    params: z.object({ fileName: z.string().max(100) }),
  }),
});
