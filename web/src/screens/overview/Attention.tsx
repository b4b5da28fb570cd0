import { Anchor, Stack, Text } from '@mantine/core';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';
import type { Status as MachineStatus } from '../../api/contract.generated';
import { backups as backupsQuery, clusterMembers, clusterState, nodes as nodesQuery } from '../../api/queries';
import { together } from '../../model/loadable';
import { type Format, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { type Concern, concernsOf } from './concerns';
import classes from './Overview.module.css';
import { attention as attentionQuery, coreVersions, panelUpdate } from './queries';

/** A backup that fails or is late is not pushed. */
const BACKUPS_MS = 60_000;

/** What an admin should look at, each with the place where it is resolved. */
export function Attention({ status }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const may = useMay();
  const attention = useQuery(attentionQuery);
  const backups = useQuery({
    ...backupsQuery,
    enabled: may('/panel/api/server/backups'),
    refetchInterval: BACKUPS_MS,
  });
  const cluster = useQuery({ ...clusterState, enabled: may('/panel/api/cluster/state') });
  const members = useQuery({ ...clusterMembers, enabled: may('/panel/api/cluster/members') });
  const nodes = useQuery({ ...nodesQuery, enabled: may('/panel/api/nodes/list') });
  const sources = {
    status,
    attention: attention.data,
    backups: backups.data,
    cluster: cluster.data,
    members: members.data,
    nodes: nodes.data,
    // Without a connection to the releases there is nothing to say.
    coreVersions: useQuery({ ...coreVersions, enabled: may('/panel/api/server/getCoreVersion') }).data,
    panelUpdate: useQuery({ ...panelUpdate, enabled: may('/panel/api/server/getCoreVersion') }).data,
  };
  const concerns = concernsOf(sources, Date.now());
  const asked = [attention, backups, cluster, members, nodes].filter(({ isEnabled }) => isEnabled);
  return (
    <Stack gap="sm">
      {concerns.length > 0 && (
        <ul className={classes['concerns']}>
          {concerns.map((concern) => (
            <li key={concern.key}>
              <Status tone={concern.isGrave ? 'bad' : 'warn'} isSentence>
                <Anchor component={Link} to={concern.to} size="sm" c="inherit">
                  {sentenceOf(concern, t, format)}
                </Anchor>
              </Status>
              {concern.why && <span className={classes['why']}>{concern.why}</span>}
            </li>
          ))}
        </ul>
      )}
      <Loaded query={together<unknown>(asked)} rows={1}>
        {() =>
          concerns.length === 0 && (
            <div className={classes['calm']}>
              <IconCircleCheck size={22} aria-hidden />
              <Text size="sm">{t('attention.none')}</Text>
            </div>
          )
        }
      </Loaded>
    </Stack>
  );
}

function sentenceOf(concern: Concern, t: TFunction<'overview'>, format: Format): string {
  switch (concern.kind) {
    case 'disk':
      return t('concern.disk', { share: format.percent(concern.share) });
    case 'nodeOffline':
    case 'nodeRefused':
    case 'nodeFailing':
    case 'memberAway':
    case 'inboundRefused':
    case 'headsUnpublished':
    case 'headConflict':
    case 'webhookGone':
    case 'webhookFailing':
    case 'webhookRejected':
      return t(`concern.${concern.kind}`, { name: concern.name });
    case 'nodeBehind':
      return t('concern.nodeBehind', { name: concern.name, count: concern.count });
    case 'certificateExpires':
    case 'certificateExpired':
      return t(`concern.${concern.kind}`, { server: t(`server.${concern.server}`), when: format.relative(concern.at) });
    case 'inboundCertificateExpires':
    case 'inboundCertificateExpired':
      return t(`concern.${concern.kind}`, { name: concern.name, when: format.relative(concern.at) });
    case 'certificateRejected':
      return t('concern.certificateRejected', { server: t(`server.${concern.server}`) });
    case 'coreUpdate':
    case 'panelUpdate':
      return t(`concern.${concern.kind}`, { version: concern.version });
    default:
      return t(`concern.${concern.kind}`);
  }
}
