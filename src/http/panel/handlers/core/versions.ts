import { type GeoFileName, geoFiles } from '../../../../commands/ports/releases.js';
import { TRIAL_MS } from '../../../../commands/reactors/releases/core-install.js';
import { type Rejection, reject } from '../../../../commands/rejection.js';
import type { RecordedEvent } from '../../../../events/catalog.js';
import { codeOf, message } from '../../../../messages/message.js';
import { withinTimeout } from '../../answers.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { versionRoutes } from '../../contract/core/versions.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';

type Services = Needs<'read' | 'past' | 'coreInstall' | 'panelUpdate' | 'geoUpdate'>;

export const versionHandlers: Handlers<typeof versionRoutes, Services> = {
  async getCoreVersion(_, { coreInstall }) {
    const { versions, why } = await coreInstall.list();
    if (why === null) return [...versions];
    if (versions.length === 0) return reject('RELEASES_UNREACHABLE', { why });
    return new Message(message('releases.onlyInstalledListed'), versions);
  },

  installCore: ({ params: { version } }, { coreInstall }, { dispatch }) =>
    withinTimeout(
      coreInstall.install(version, dispatch),
      (installed) => new Message(message('releases.coreUpdated'), installed),
      version,
    ),

  coreVersionState(_, { read, past, coreInstall }, { say }) {
    const { trial } = read.records.core().choice;
    const last = past.lastOf('core', ['CoreVersionInstalled', 'CoreVersionRolledBack']);
    const { versions, fixedBy } = coreInstall.installed();
    return {
      installed: [...versions],
      fixedBy: fixedBy ?? '',
      previous: trial?.from ?? '',
      trialUntil: trial?.since ? trial.since + TRIAL_MS : 0,
      rolledBack: last?.type === 'CoreVersionRolledBack' ? rolledBack(last, say) : null,
    };
  },

  getPanelUpdateInfo: (_, { panelUpdate }) => panelUpdate.info(),

  updatePanel: (_, { panelUpdate }, { dispatch }) =>
    withinTimeout(
      panelUpdate.install(dispatch),
      (version) => new Message(message('releases.panelUpdateStarted'), version),
      'latest',
    ),

  updateGeofile: ({ body: { fileName } }, services, request) => updateGeoFiles(services, request, fileName ?? ''),
  updateOneGeofile: ({ params: { fileName } }, services, request) => updateGeoFiles(services, request, fileName),
};

function rolledBack(
  { data, meta }: Extract<RecordedEvent, { type: 'CoreVersionRolledBack' }>,
  say: HttpRequest['say'],
) {
  const { version, restoredVersion, reason } = data;
  return { at: meta.at, version, restored: restoredVersion ?? '', reason: say(reason), reasonCode: codeOf(reason) };
}

/** Updates one file, or all of them for an empty name. */
async function updateGeoFiles(
  { geoUpdate }: Needs<'geoUpdate'>,
  { dispatch }: HttpRequest,
  name: string,
): Promise<Message | Rejection> {
  const files = name === '' ? geoFiles : geoFiles.filter((known) => known === name);
  if (files.length === 0) return reject('GEO_FILE_UNKNOWN', { file: name.slice(0, 100) });
  return withinTimeout(
    geoUpdate.update(files as readonly GeoFileName[], dispatch),
    (results) => new Message(message('geo.filesUpdated'), results),
    [],
  );
}
