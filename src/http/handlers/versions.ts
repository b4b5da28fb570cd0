import { type GeoFileName, geoFiles } from '../../commands/ports/releases.js';
import { Rejection, reject } from '../../commands/rejection.js';
import { type HttpContext, Message } from '../context.js';
import type { versionRoutes } from '../contract/versions.js';
import type { Handlers } from '../mount.js';

/** How long a caller waits for an answer, in ms; the work goes on without it. */
const PATIENCE_MS = 50_000;

export const versionHandlers: Handlers<typeof versionRoutes> = {
  async getCoreVersion(_, { coreInstall }) {
    const { versions, why } = await coreInstall.list();
    if (why === null) return [...versions];
    if (versions.length === 0) return reject('RELEASES_UNREACHABLE', { why });
    return new Message('The list of releases cannot be had; these versions are installed.', versions);
  },

  installCore: ({ params: { version } }, { coreInstall, dispatch }) =>
    patiently(
      coreInstall.install(version, dispatch),
      (installed) => new Message('Xray updated successfully', installed),
      version,
    ),

  getPanelUpdateInfo: (_, { panelUpdate }) => panelUpdate.info(),

  updatePanel: (_, { panelUpdate, dispatch }) =>
    patiently(panelUpdate.install(dispatch), (version) => new Message('Panel update started', version), 'latest'),

  updateGeofile: ({ body: { fileName } }, context) => updateGeoFiles(context, fileName ?? ''),
  updateOneGeofile: ({ params: { fileName } }, context) => updateGeoFiles(context, fileName),
};

/** One file, or all of them for no name. */
async function updateGeoFiles({ geoUpdate, dispatch }: HttpContext, name: string): Promise<Message | Rejection> {
  const files = name === '' ? geoFiles : geoFiles.filter((known) => known === name);
  if (files.length === 0) return reject('GEO_FILE_UNKNOWN', { file: name.slice(0, 100) });
  return patiently(
    geoUpdate.update(files as readonly GeoFileName[], dispatch),
    (results) => new Message('Geofile updated successfully', results),
    [],
  );
}

/** The outcome, or after a while the news that it goes on. */
async function patiently<T>(
  task: Promise<T | Rejection>,
  success: (result: T) => Message,
  meanwhile: unknown,
): Promise<Message | Rejection> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Message>((resolve) => {
    const answer = new Message('This takes a while and goes on; a notification tells how it ended.', meanwhile);
    timer = setTimeout(() => resolve(answer), PATIENCE_MS);
  });
  const ended = task.then((result) => (result instanceof Rejection ? result : success(result)));
  // Whoever does the work says when it breaks down.
  ended.catch(() => undefined);
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
