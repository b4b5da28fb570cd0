import type { RecordedEvent } from '../events/catalog.js';
import { geoFileOf } from '../events/geo/geo.js';
import { timeText } from '../lib/words.js';
import { message, type Text, verbatim } from '../messages/message.js';

/** What a browser is told over the WebSocket (specification, part 6), besides the status. */
export type Push =
  | { readonly type: 'xrayState'; readonly data: string }
  | {
      readonly type: 'notification';
      readonly title: Text | string;
      readonly body: Text | string;
      readonly severity: 'success' | 'warning' | 'error';
    }
  | { readonly type: 'invalidate'; readonly resource: string };

/** The nouns behind the event types, as the client knows them. */
const resources: readonly (readonly [RegExp, string])[] = [
  [/^(Inbound|Client)(?!Ips(Seen|Blocked|Unblocked)$)/, 'inbounds'],
  [/^(TrafficRecorded|ClientIpsSeen)$/, ''],
  [/^OutboundTraffic/, 'outbounds'],
  [/^CoreTemplate/, 'core'],
  [/^(Secret)?Setting/, 'settings'],
  [/^(User|ApiToken)/, 'users'],
  [/^Node(Added|Updated|TokenReplaced|Enabled|Disabled|Deleted|Identified|Went|Inbound|Unmanaged|Sync)/, 'nodes'],
  [/^GeoSource/, 'custom-geo'],
];

/** What a batch of events means to the browsers: at most one `invalidate` for each resource. */
export function pushesOf(events: readonly RecordedEvent[]): readonly Push[] {
  const stale = new Set<string>();
  const pushes: Push[] = [];
  for (const event of events) {
    pushes.push(...nodePushes(event), ...corePushes(event), ...panelPushes(event), ...releasePushes(event));
    const resource = resources.find(([pattern]) => pattern.test(event.type))?.[1];
    if (resource) stale.add(resource);
  }
  return [...pushes, ...[...stale].map((resource): Push => ({ type: 'invalidate', resource }))];
}

const stops = {
  request: 'An admin asked for it.',
  shutdown: 'The panel stops as well.',
  configuration: 'It starts again with a new configuration.',
  disconnect: 'It starts again to end connections that have no right to go on.',
} as const;

function corePushes(event: RecordedEvent): readonly Push[] {
  switch (event.type) {
    case 'CoreStarted':
      return [
        { type: 'xrayState', data: 'running' },
        {
          type: 'notification',
          title: 'The core is running',
          body: `Version ${event.data.version}`,
          severity: 'success',
        },
      ];
    case 'CoreStopped':
      return [
        { type: 'xrayState', data: 'stop' },
        {
          type: 'notification',
          title: 'The core has stopped',
          body: stops[event.data.reason],
          severity: 'warning',
        },
      ];
    case 'CoreFailed':
      return [
        { type: 'xrayState', data: 'error' },
        { type: 'notification', title: 'The core failed', body: event.data.reason, severity: 'error' },
      ];
    case 'InboundRejectedByCore': {
      const body = `#${event.data.inbound}: ${event.data.reason}`;
      return [{ type: 'notification', title: 'The core does not take an inbound', body, severity: 'error' }];
    }
    case 'InboundAcceptedByCore': {
      const body = `#${event.data.inbound}`;
      return [{ type: 'notification', title: 'The core takes an inbound again', body, severity: 'success' }];
    }
    default:
      return [];
  }
}

function nodePushes({ type, data, meta: { actor } }: RecordedEvent): readonly Push[] {
  const notification = (severity: 'success' | 'warning' | 'error', title: Text, body: Text): readonly Push[] => [
    { type: 'notification', title, body, severity },
  ];
  const reasonOf = (subject: string, reason: Text): Text => message('notifications.subjectReason', { subject, reason });
  switch (type) {
    case 'NodeWentOnline':
      return notification('success', message('notifications.nodeOnline'), verbatim(actor.name));
    case 'NodeWentOffline':
      return notification('error', message('notifications.nodeOffline'), reasonOf(actor.name, data.reason));
    case 'NodeSyncFailed':
      return notification('error', message('notifications.nodeSyncFailed'), reasonOf(actor.name, data.reason));
    case 'NodeSyncRecovered':
      return notification('success', message('notifications.nodeSyncRecovered'), verbatim(actor.name));
    case 'NodeCoreRestarted':
      return notification('warning', message('notifications.nodeCoreRestarted'), verbatim(`#${data.node}`));
    case 'NodeInboundRejected': {
      const title = message('notifications.nodeInboundRejected');
      return notification('warning', title, reasonOf(`#${data.inbound}`, data.reason));
    }
    default:
      return [];
  }
}

function panelPushes(event: RecordedEvent): readonly Push[] {
  const notification = (severity: 'success' | 'warning' | 'error', title: string, body: string): readonly Push[] => [
    { type: 'notification', title, body, severity },
  ];
  switch (event.type) {
    case 'PanelRestartRequested':
      return notification('warning', 'The panel restarts', 'It is back in a few seconds.');
    case 'PanelRestarted':
      return notification('success', 'The panel has restarted', 'It runs with the settings as they are now.');
    case 'PanelRestartFailed':
      return notification('error', 'The panel could not restart and goes on as it was', event.data.reason);
    case 'DirectorySynced':
      if (event.data.error === null) return [];
      return notification('warning', 'Clients could not be brought in line with the directory', event.data.error);
    case 'BackupFailed':
      return notification('error', 'A timed backup failed', event.data.reason);
    case 'TrafficInformFailed':
      return notification('warning', 'Traffic cannot be told to its receiver', event.data.reason);
    case 'TrafficInformRecovered':
      return notification('success', 'Traffic is told to its receiver again', '');
    case 'StateReplaced':
      return notification('warning', 'The panel starts anew with the imported state', 'Everybody has to log in again.');
    case 'StateReplacementRolledBack':
      return notification('error', 'The imported state did not start, the one before goes on', event.data.reason);
    case 'CertificateLoaded':
      return notification('success', 'A certificate is in use', event.data.subject);
    case 'CertificateRejected':
      return notification('error', 'A certificate cannot be used', `${event.data.certFile}: ${event.data.reason}`);
    case 'CertificateExpiring':
      return notification('warning', 'A certificate ends soon', timeText(event.data.expiresAt).slice(0, 10));
    default:
      return [];
  }
}

function releasePushes(event: RecordedEvent): readonly Push[] {
  const notification = (severity: 'success' | 'warning' | 'error', title: string, body: string): readonly Push[] => [
    { type: 'notification', title, body, severity },
  ];
  switch (event.type) {
    case 'CoreVersionInstalled':
      return notification('warning', 'A version of the core is being tried', `Version ${event.data.version}`);
    case 'CoreVersionRolledBack':
      return notification('error', 'The new version of the core was taken back', event.data.reason);
    case 'CoreInstallFailed':
      return notification('error', 'The core could not be installed', event.data.reason);
    case 'PanelUpdateInstalled':
      return notification('warning', 'The panel starts anew with a newer version', `Version ${event.data.version}`);
    case 'PanelUpdateRolledBack':
      return notification('error', 'The new version of the panel was taken back', event.data.reason);
    case 'PanelUpdateFailed':
      return notification('error', 'The panel could not be updated', event.data.reason);
    case 'GeoSourceDownloaded':
      return notification('success', 'The file of a geo source is new', event.data.tags.join(', '));
    case 'GeoSourceFailed':
      return notification(
        'error',
        'The file of a geo source could not be updated',
        `#${event.data.source}: ${event.data.reason}`,
      );
    case 'GeoSourceRejected': {
      const { type, alias, reason } = event.data;
      return notification('error', 'A geo source could not be used', `${geoFileOf({ type, alias })}: ${reason}`);
    }
    case 'GeoFilesUpdated': {
      const failed = event.data.files.filter(({ outcome }) => outcome === 'failed');
      const body = failed.map(({ file, reason }) => `${file}: ${reason}`).join('; ');
      return failed.length === 0
        ? notification('success', 'The geo files are up to date', `${event.data.files.length} files were asked for`)
        : notification('error', 'Geo files could not be updated', body);
    }
    default:
      return [];
  }
}
