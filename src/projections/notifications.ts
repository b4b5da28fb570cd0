import type { RecordedEvent } from '../events/catalog.js';
import { geoFileOf } from '../events/geo/geo.js';
import type { Alarm } from '../lib/alarms.js';
import { message, type Text, verbatim } from '../messages/message.js';

/** The notification for an event; null for an event that admins are not notified of. */
export function notificationOf(event: RecordedEvent): Alarm | null {
  return (
    coreNotification(event) ??
    nodeNotification(event) ??
    panelNotification(event) ??
    releaseNotification(event) ??
    webhookNotification(event)
  );
}

const success = (title: Text, body: Alarm['body']): Alarm => ({ title, body, severity: 'success' });
const warning = (title: Text, body: Alarm['body']): Alarm => ({ title, body, severity: 'warning' });
const error = (title: Text, body: Alarm['body']): Alarm => ({ title, body, severity: 'error' });

function coreNotification({ type, data }: RecordedEvent): Alarm | null {
  switch (type) {
    case 'CoreStarted':
      return success(message('notifications.coreRunning'), versionText(data.version));
    case 'CoreStopped':
      return warning(message('notifications.coreStopped'), message(STOPS[data.reason]));
    case 'CoreFailed':
      return error(message('notifications.coreFailed'), data.reason);
    case 'InboundRejectedByCore':
      return error(message('notifications.inboundRejectedByCore'), message('notifications.inboundReason', data));
    case 'InboundAcceptedByCore':
      return success(message('notifications.inboundAcceptedByCore'), message('notifications.inbound', data));
    default:
      return null;
  }
}

const STOPS = {
  request: 'notifications.stoppedByAdmin',
  shutdown: 'notifications.stoppedWithPanel',
  configuration: 'notifications.stoppedForConfiguration',
  disconnect: 'notifications.stoppedToDisconnect',
} as const;

/** A node is the actor of what it reports. */
function nodeNotification({ type, data, meta: { actor } }: RecordedEvent): Alarm | null {
  const node = actor.name;
  switch (type) {
    case 'NodeWentOnline':
      return success(message('notifications.nodeOnline'), verbatim(node));
    case 'NodeWentOffline':
      return error(message('notifications.nodeOffline'), reasonOf(node, data.reason));
    case 'NodeSyncFailed':
      return error(message('notifications.nodeSyncFailed'), reasonOf(node, data.reason));
    case 'NodeSyncRecovered':
      return success(message('notifications.nodeSyncRecovered'), verbatim(node));
    case 'NodeCoreRestarted':
      return warning(message('notifications.nodeCoreRestarted'), message('notifications.node', { node: data.node }));
    case 'NodeInboundRejected': {
      const { inbound, reason } = data;
      return warning(
        message('notifications.nodeInboundRejected'),
        message('notifications.inboundReason', { inbound, reason }),
      );
    }
    default:
      return null;
  }
}

function panelNotification({ type, data }: RecordedEvent): Alarm | null {
  switch (type) {
    case 'PanelRestartRequested':
      return warning(message('notifications.panelRestarting'), message('notifications.backInSeconds'));
    case 'PanelRestarted':
      return success(message('notifications.panelRestarted'), message('notifications.currentSettings'));
    case 'PanelRestartFailed':
      return error(message('notifications.panelRestartFailed'), data.reason);
    case 'DirectorySynced':
      return data.error === null ? null : warning(message('notifications.directorySyncFailed'), data.error);
    case 'BackupFailed':
      return error(message('notifications.backupFailed'), data.reason);
    case 'TrafficReportFailed':
      return warning(message('notifications.trafficReportFailed'), data.reason);
    case 'TrafficReportRecovered':
      return success(message('notifications.trafficReportRecovered'), verbatim(''));
    case 'HeadPublicationFailed':
      return warning(message('notifications.headFailed'), data.reason);
    case 'HeadReceived':
      if (data.conflict === 'none') return null;
      return error(
        message('notifications.headConflict'),
        message('notifications.headConflictOf', { panel: data.head.panel, position: data.head.position }),
      );
    case 'StateReplaced':
      return warning(message('notifications.stateReplaced'), message('notifications.loginAgain'));
    case 'StateReplacementRolledBack':
      return error(message('notifications.stateRolledBack'), data.reason);
    case 'CertificateLoaded':
      return success(message('notifications.certificateLoaded'), verbatim(data.subject));
    case 'CertificateRejected':
      return error(message('notifications.certificateRejected'), reasonOf(data.certFile, data.reason));
    case 'CertificateExpiring':
      return warning(
        message('notifications.certificateExpiring'),
        message('notifications.expiresAt', { at: data.expiresAt }),
      );
    default:
      return null;
  }
}

function webhookNotification({ type, data }: RecordedEvent): Alarm | null {
  switch (type) {
    case 'WebhookFailed':
      return warning(message('notifications.webhookFailed', { webhook: data.webhook }), data.reason);
    case 'WebhookRecovered':
      return success(message('notifications.webhookRecovered', { webhook: data.webhook }), verbatim(''));
    case 'WebhookPaused':
      if (data.reason === 'admin') return null;
      return warning(
        message('notifications.webhookGone', { webhook: data.webhook }),
        message('notifications.webhookPaused'),
      );
    case 'WebhookEventRejected':
      return warning(message('notifications.webhookDeadLetter', { webhook: data.webhook }), data.reason);
    default:
      return null;
  }
}

function releaseNotification({ type, data }: RecordedEvent): Alarm | null {
  switch (type) {
    case 'CoreVersionInstalled':
      return warning(message('notifications.coreTrial'), versionText(data.version));
    case 'CoreVersionRolledBack':
      return error(message('notifications.coreRolledBack'), data.reason);
    case 'CoreInstallFailed':
      return error(message('notifications.coreInstallFailed'), data.reason);
    case 'PanelUpdateInstalled':
      return warning(message('notifications.panelUpdating'), versionText(data.version));
    case 'PanelUpdateRolledBack':
      return error(message('notifications.panelRolledBack'), data.reason);
    case 'PanelUpdateFailed':
      return error(message('notifications.panelUpdateFailed'), data.reason);
    case 'GeoSourceDownloaded':
      return success(message('notifications.geoSourceDownloaded'), message('common.list', { items: data.tags }));
    case 'GeoSourceFailed': {
      const { source, reason } = data;
      return error(message('notifications.geoSourceFailed'), message('notifications.sourceReason', { source, reason }));
    }
    case 'GeoSourceRejected':
      return error(message('notifications.geoSourceRejected'), reasonOf(geoFileOf(data), data.reason));
    case 'GeoFilesUpdated': {
      const { files } = data;
      const failed = files.filter(({ outcome }) => outcome === 'failed');
      if (failed.length === 0)
        return success(
          message('notifications.geoFilesUpdated'),
          message('notifications.filesChecked', { count: files.length }),
        );
      const reasons = failed.map(({ file, reason }) => reasonOf(file, reason ?? message('why.reasonUnknown')));
      return error(message('notifications.geoFilesFailed'), message('notifications.reasons', { reasons }));
    }
    default:
      return null;
  }
}

const versionText = (version: string): Text => message('notifications.version', { version });
const reasonOf = (subject: string, reason: Text): Text => message('notifications.subjectReason', { subject, reason });
