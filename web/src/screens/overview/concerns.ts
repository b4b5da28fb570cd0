import type { ClusterMember, ClusterState, Gets, Node, Status } from '../../api/contract.generated';

/** A disk that is fuller than this is mentioned. */
const FULL = 0.9;
/** A certificate that expires sooner is mentioned, in ms. */
const SOON_MS = 14 * 86_400_000;

type Attention = Gets['/panel/api/server/attention']['reply'];

/** What the concerns are made of. Undefined = not known yet, or not available. */
export interface Sources {
  readonly status: Status;
  readonly backups?: Gets['/panel/api/server/backups']['reply'] | undefined;
  readonly nodes?: readonly Node[] | undefined;
  readonly attention?: Attention | undefined;
  readonly cluster?: ClusterState | undefined;
  readonly members?: readonly ClusterMember[] | undefined;
  readonly coreVersions?: readonly string[] | undefined;
  readonly panelUpdate?: Gets['/panel/api/server/getPanelUpdateInfo']['reply'] | undefined;
}

/** Something that an admin should look at. `to` is the screen where it is resolved. */
export type Concern = {
  readonly key: string;
  readonly to: string;
  readonly isGrave: boolean;
  readonly why?: string;
} & (
  | { readonly kind: 'coreFailed' | 'coreStopped' | 'backupLate' | 'backupFailed' }
  | { readonly kind: 'clusterDamaged' | 'clusterUnreachable' | 'clusterQuorum' }
  | { readonly kind: 'disk'; readonly share: number }
  | { readonly kind: 'nodeOffline' | 'nodeRefused' | 'nodeFailing' | 'memberAway'; readonly name: string }
  | { readonly kind: 'nodeBehind'; readonly name: string; readonly count: number }
  | { readonly kind: 'certificateExpired' | 'certificateExpires'; readonly server: Server; readonly at: number }
  | { readonly kind: InboundCertificateKind; readonly name: string; readonly at: number }
  | { readonly kind: 'certificateRejected'; readonly server: Server }
  | { readonly kind: 'inboundRefused' | 'webhookGone' | 'webhookFailing' | 'webhookRejected'; readonly name: string }
  | { readonly kind: 'headsUnpublished' | 'headConflict'; readonly name: string }
  | { readonly kind: 'coreUpdate' | 'panelUpdate'; readonly version: string }
);
type InboundCertificateKind = 'inboundCertificateExpired' | 'inboundCertificateExpires';
type Server = Attention['certificates'][number]['server'];

/** The group of the settings that has the certificate of a server. */
const GROUP_OF: Readonly<Record<Server, string>> = { panel: 'server', subscription: 'subscription' };

/** Everything that needs attention, the grave first. `now` in ms since 1970. */
export function concernsOf(sources: Sources, now: number): readonly Concern[] {
  const all = [
    ...coreConcerns(sources),
    ...clusterConcerns(sources),
    ...diskConcerns(sources.status),
    ...certificateConcerns(sources.attention?.certificates ?? [], now),
    ...(sources.attention?.inboundCertificates ?? []).flatMap((one) => inboundCertificateConcern(one, now)),
    ...(sources.attention?.refusedInbounds ?? []).map(
      ({ id, remark, tag, problem }): Concern => ({
        ...{ key: `inbound-${id}`, kind: 'inboundRefused', name: remark || tag, to: `/inbounds/${id}` },
        ...{ isGrave: true, why: problem },
      }),
    ),
    ...(sources.attention?.webhooks ?? []).map(
      ({ id, name, gone, failingSince, problem }): Concern => ({
        ...{ key: `webhook-${id}`, name, to: '/webhooks', isGrave: gone, why: problem },
        kind: gone ? 'webhookGone' : failingSince > 0 ? 'webhookFailing' : 'webhookRejected',
      }),
    ),
    ...headConcerns(sources.attention),
    ...(sources.nodes ?? []).flatMap(nodeConcerns),
    ...backupConcerns(sources.backups),
    ...updateConcerns(sources),
  ];
  return all.toSorted((one, other) => Number(other.isGrave) - Number(one.isGrave));
}

function coreConcerns({ status: { core } }: Sources): readonly Concern[] {
  if (core.state === 'running') return [];
  const kind = core.state === 'error' ? 'coreFailed' : 'coreStopped';
  return [{ key: 'core', kind, to: '/core', isGrave: true, why: core.errorMsg }];
}

/** Of the cluster as a whole, only the gravest: it explains the others. */
function clusterConcerns({ cluster, members = [] }: Sources): readonly Concern[] {
  if (!cluster?.enabled) return [];
  const shared = { key: 'cluster', to: '/cluster', isGrave: true, why: cluster.problem } as const;
  if (cluster.fault !== '') return [{ ...shared, kind: 'clusterDamaged' }];
  if (cluster.awayAt > 0) return [{ ...shared, kind: 'clusterUnreachable' }];
  const away = members.filter(({ state }) => state === 'away');
  return [
    ...(cluster.quorum ? [] : [{ ...shared, kind: 'clusterQuorum' } as const]),
    ...away.map(
      ({ name }) => ({ key: `member-${name}`, to: '/cluster', isGrave: true, kind: 'memberAway', name }) as const,
    ),
  ];
}

function diskConcerns({ disk }: Status): readonly Concern[] {
  const share = disk.total > 0 ? disk.current / disk.total : 0;
  return share > FULL ? [{ key: 'disk', kind: 'disk', share, to: '/backups', isGrave: true }] : [];
}

function certificateConcerns(certificates: Attention['certificates'], now: number): readonly Concern[] {
  return certificates.flatMap(({ server, expiresAt: at, problem }): readonly Concern[] => {
    const shared = { to: `/settings?group=${GROUP_OF[server]}`, server };
    const rejected: readonly Concern[] =
      problem === ''
        ? []
        : [{ ...shared, key: `rejected-${server}`, kind: 'certificateRejected', isGrave: true, why: problem }];
    if (at === 0 || at - now > SOON_MS) return rejected;
    const isOver = at <= now;
    const kind = isOver ? 'certificateExpired' : 'certificateExpires';
    return [...rejected, { ...shared, key: `certificate-${server}`, kind, at, isGrave: isOver }];
  });
}

function inboundCertificateConcern(
  { id, remark, tag, expiresAt: at }: Attention['inboundCertificates'][number],
  now: number,
): readonly Concern[] {
  if (at - now > SOON_MS) return [];
  const isGrave = at <= now;
  const kind = isGrave ? 'inboundCertificateExpired' : 'inboundCertificateExpires';
  return [{ key: `tls-${id}`, kind, name: remark || tag, to: `/inbounds/${id}`, at, isGrave }];
}

function nodeConcerns(node: Node): readonly Concern[] {
  const { id, name, enable, status, syncState, pendingChanges: count } = node;
  if (!enable) return [];
  const shared = { key: `node-${id}`, to: `/nodes/${id}`, name, why: node.lastError || node.pendingReason };
  if (status === 'offline') return [{ ...shared, kind: 'nodeOffline', isGrave: true }];
  if (syncState === 'refused') return [{ ...shared, kind: 'nodeRefused', isGrave: true }];
  if (syncState === 'failing') return [{ ...shared, kind: 'nodeFailing', isGrave: true }];
  return count > 0 ? [{ ...shared, kind: 'nodeBehind', count, isGrave: false }] : [];
}

function headConcerns(attention: Sources['attention']): readonly Concern[] {
  if (!attention) return [];
  const { failingHeadSinks, headConflicts } = attention;
  return [
    ...failingHeadSinks.map(
      ({ sink, name, problem }): Concern => ({
        ...{ key: `head-${sink}`, kind: 'headsUnpublished', name, to: '/proof', isGrave: false, why: problem },
      }),
    ),
    ...headConflicts.map(
      ({ panel }): Concern => ({
        ...{ key: `conflict-${panel}`, kind: 'headConflict', name: panel, to: '/proof', isGrave: true },
      }),
    ),
  ];
}

function backupConcerns(backups: Sources['backups']): readonly Concern[] {
  const shared = { to: '/backups' } as const;
  return [
    ...(backups?.late ? [{ ...shared, key: 'late', kind: 'backupLate' as const, isGrave: false }] : []),
    ...(backups?.last?.why
      ? [{ ...shared, key: 'failed', kind: 'backupFailed' as const, isGrave: true, why: backups.last.why }]
      : []),
  ];
}

function updateConcerns({ status: { core }, coreVersions = [], panelUpdate }: Sources): readonly Concern[] {
  const newest = coreVersions.toSorted(byVersion).at(-1);
  const shared = { to: '/core', isGrave: false } as const;
  return [
    ...(panelUpdate?.updateAvailable
      ? [{ ...shared, key: 'panel', kind: 'panelUpdate' as const, version: panelUpdate.latestVersion }]
      : []),
    ...(newest !== undefined && core.version !== '' && byVersion(newest, core.version) > 0
      ? [{ ...shared, key: 'version', kind: 'coreUpdate' as const, version: newest }]
      : []),
  ];
}

/** Compares versions of numbers and dots, with or without a `v` before them. */
export function byVersion(one: string, other: string): number {
  const [left = [], right = []] = [one, other].map((text) => text.replace(/^v/, '').split('.').map(Number));
  const index = left.findIndex((number, place) => number !== (right[place] ?? 0));
  return index < 0 ? left.length - right.length : (left[index] ?? 0) - (right[index] ?? 0);
}
