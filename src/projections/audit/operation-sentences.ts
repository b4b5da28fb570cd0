import { sinkText } from '../../events/proof/sink-text.js';
import { message } from '../../messages/message.js';
import { electionText } from './election-text.js';
import type { DataOf, Sentences } from './sentence-types.js';

const SERVERS = { panel: 'audit.panelServer', subscription: 'audit.subscriptionServer' } as const;

/** Events of the panel process, the log, backups, certificates, geo files and the services around them. */
export const operationSentences = {
  OutboundTrafficReset: ({ tag, up, down }: DataOf<'OutboundTrafficReset'>) =>
    message('audit.outboundReset', { tag, up, down }),
  OutboundHistoryImported: ({ tag, up, down }: DataOf<'OutboundHistoryImported'>) =>
    message('audit.outboundImported', { tag, up, down }),
  InboundCountersReleased: ({ counters }: DataOf<'InboundCountersReleased'>) =>
    message('audit.countersReleased', { tags: counters.map(([tag]) => tag) }),
  TrafficRecorded: ({ clients, inbounds }: DataOf<'TrafficRecorded'>) =>
    message('audit.trafficRecorded', { ...sumOf(inbounds), clients: clients.length }),
  TrafficRecounted: ({ clients }: DataOf<'TrafficRecounted'>) => message('audit.trafficRecounted', { clients }),
  MeasurementsRolledUp: ({ fromPosition, toPosition, prunedCount }: DataOf<'MeasurementsRolledUp'>) =>
    message('audit.rolledUp', { first: fromPosition, last: toPosition, removed: prunedCount }),
  CommandUndone: ({ from, to }: DataOf<'CommandUndone'>) => message('audit.commandUndone', { first: from, last: to }),
  LogLossAccepted: ({ foundPosition }: DataOf<'LogLossAccepted'>) =>
    message('audit.lossAccepted', { position: foundPosition }),
  StateImported: ({ source }: DataOf<'StateImported'>) =>
    message(source === 'portolan' ? 'audit.restoredBackup' : 'audit.restoredXui'),
  StateReplaced: ({ source }: DataOf<'StateReplaced'>) =>
    message(source === 'portolan' ? 'audit.replacedByBackup' : 'audit.replacedByXui'),
  StateReplacementRolledBack: ({ reason }: DataOf<'StateReplacementRolledBack'>) =>
    message('audit.replacementRolledBack', { reason }),

  PanelStarted: ({ version }: DataOf<'PanelStarted'>) => message('audit.panelStarted', { version }),
  PanelStopped: () => message('audit.panelStopped'),
  PanelRestartRequested: () => message('audit.panelRestartRequested'),
  PanelRestarted: ({ panel, subscription }: DataOf<'PanelRestarted'>) =>
    message('audit.panelRestarted', { panelPort: panel.port, subPort: subscription.port }),
  PanelRestartFailed: ({ reason }: DataOf<'PanelRestartFailed'>) => message('audit.panelRestartFailed', { reason }),
  PanelUpdateInstalled: ({ version, previousVersion }: DataOf<'PanelUpdateInstalled'>) =>
    message('audit.panelUpdated', { version, previous: previousVersion }),
  PanelUpdateFailed: ({ version, reason }: DataOf<'PanelUpdateFailed'>) =>
    message('audit.panelUpdateFailed', { version, reason }),
  PanelUpdateRolledBack: ({ version, restoredVersion, reason }: DataOf<'PanelUpdateRolledBack'>) =>
    message('audit.panelRolledBack', { version, restored: restoredVersion, reason }),

  LeaderElected: ({ member, former, reason }: DataOf<'LeaderElected'>) =>
    reason === undefined
      ? message('audit.leaderElected', { member })
      : message('audit.leaderElectedBecause', { member, why: electionText(reason, former ?? '') }),
  LeadershipHandedOver: ({ member }: DataOf<'LeadershipHandedOver'>) =>
    message('audit.leadershipHandedOver', { member }),
  MemberAddressChanged: ({ member, address }: DataOf<'MemberAddressChanged'>) =>
    address === ''
      ? message('audit.memberAddressUnknown', { member })
      : message('audit.memberAddress', { member, address }),
  MemberRemoved: ({ member }: DataOf<'MemberRemoved'>) => message('audit.memberRemoved', { member }),
  StreamRebuilt: ({ member, fromPosition, toPosition }: DataOf<'StreamRebuilt'>) =>
    message('audit.streamRebuilt', { member, first: fromPosition, last: toPosition }),
  ClusterLeft: () => message('audit.clusterLeft'),
  MemberApproved: ({ member, fingerprint }: DataOf<'MemberApproved'>) =>
    message('audit.memberApproved', { member, fingerprint }),
  TailSetAside: ({ member, fromPosition, toPosition, file }: DataOf<'TailSetAside'>) =>
    message('audit.tailSetAside', { member, first: fromPosition, last: toPosition, file }),

  DataKeyDestroyed: ({ key, reason }: DataOf<'DataKeyDestroyed'>) =>
    message(reason === 'rotated' ? 'audit.keyRotated' : 'audit.keyErased', { key }),
  CertificateLoaded: ({ server, subject, expiresAt }: DataOf<'CertificateLoaded'>) =>
    message('audit.certificateLoaded', { server: message(SERVERS[server]), names: subject, at: expiresAt }),
  CertificateRejected: ({ server, reason }: DataOf<'CertificateRejected'>) =>
    message('audit.certificateRejected', { server: message(SERVERS[server]), reason }),
  CertificateExpiring: ({ server, expiresAt }: DataOf<'CertificateExpiring'>) =>
    message('audit.certificateExpiring', { server: message(SERVERS[server]), at: expiresAt }),

  GeoFilesUpdated({ files }: DataOf<'GeoFilesUpdated'>) {
    const [updated, unchanged, failed] = [count(files, 'updated'), count(files, 'unchanged'), count(files, 'failed')];
    return message('audit.geoUpdated', { updated, unchanged, failed });
  },
  GeoSourceRejected: ({ alias, reason }: DataOf<'GeoSourceRejected'>) =>
    message('audit.geoSourceRejected', { alias, reason }),
  GeoSourceAdded: ({ url }: DataOf<'GeoSourceAdded'>) => message('audit.geoAdded', { url }),
  GeoSourceUpdated: ({ url }: DataOf<'GeoSourceUpdated'>) => message('audit.geoChanged', { url }),
  GeoSourceDeleted: () => message('audit.geoDeleted'),
  GeoSourceDownloaded: ({ bytes }: DataOf<'GeoSourceDownloaded'>) => message('audit.geoDownloaded', { size: bytes }),
  GeoSourceChecked: () => message('audit.geoChecked'),
  GeoSourceFailed: ({ reason }: DataOf<'GeoSourceFailed'>) => message('audit.geoFailed', { reason }),

  DirectorySynced: ({ error, ...counts }: DataOf<'DirectorySynced'>) =>
    error === null ? message('audit.directorySynced', counts) : message('audit.directoryFailed', { reason: error }),
  BackupVerified: ({ name, position }: DataOf<'BackupVerified'>) => message('audit.backupVerified', { name, position }),
  BackupFailed: ({ reason }: DataOf<'BackupFailed'>) => message('audit.backupFailed', { reason }),
  PanelImported: ({ version, after: { inbounds, clients } }: DataOf<'PanelImported'>) =>
    message('audit.panelImported', { version, inbounds, clients }),
  ClientsUpdated: ({ clients }: DataOf<'ClientsUpdated'>) =>
    message('audit.clientsUpdated', { clients: clients.length }),
  ClientsDeleted: ({ clients }: DataOf<'ClientsDeleted'>) =>
    message('audit.clientsDeleted', { clients: clients.length }),
  ClientsTrafficReset: ({ clients }: DataOf<'ClientsTrafficReset'>) =>
    message('audit.clientsReset', { ...sumOf(clients), clients: clients.length }),
  ClientWarningsSent: ({ expiring, nearCap }: DataOf<'ClientWarningsSent'>) =>
    message('audit.warningsSent', { expiring: expiring.length, nearCap: nearCap.length }),
  BackupDelivered({ chats }: DataOf<'BackupDelivered'>) {
    const failed = chats.filter(({ error }) => error !== null).length;
    return message('audit.backupDelivered', { sent: chats.length - failed, failed });
  },
  TrafficReportFailed: ({ reason }: DataOf<'TrafficReportFailed'>) => message('audit.reportFailed', { reason }),
  TrafficReportRecovered: () => message('audit.reportRecovered'),
  HeadKeyCreated: () => message('audit.headKeyCreated'),
  HeadSigned: ({ head: { position } }: DataOf<'HeadSigned'>) => message('audit.headSigned', { position }),
  HeadsPublished: ({ sinks }: DataOf<'HeadsPublished'>) =>
    message('audit.headsPublished', { sinks: sinks.map(({ sink }) => sinkText(sink)) }),
  HeadPublicationFailed: ({ sink, reason }: DataOf<'HeadPublicationFailed'>) =>
    message('audit.headFailed', { sink: sinkText(sink), reason }),
  HeadReceived: ({ head: { panel, position }, conflict }: DataOf<'HeadReceived'>) =>
    message(conflict === 'none' ? 'audit.headReceived' : 'audit.headConflict', { panel, position }),
} satisfies Partial<Sentences>;

/** The sum of rows of bytes up and down. */
export function sumOf(rows: readonly (readonly [unknown, number, number, ...unknown[]])[]) {
  return { up: rows.reduce((sum, [, up]) => sum + up, 0), down: rows.reduce((sum, [, , down]) => sum + down, 0) };
}

const count = (files: DataOf<'GeoFilesUpdated'>['files'], outcome: string): number =>
  files.filter((file) => file.outcome === outcome).length;
