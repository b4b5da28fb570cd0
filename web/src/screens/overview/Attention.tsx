import { Anchor, Text } from '@mantine/core';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Status as MachineStatus } from '../../api/contract.generated';
import { backups as backupsQuery, nodes as nodesQuery } from '../../api/queries';
import { useFormat } from '../../ui/format';
import { Status } from '../../ui/Status';
import classes from './Overview.module.css';

/** A disk that is fuller than this is mentioned. */
const FULL = 0.9;

interface Concern {
  readonly key: string;
  readonly text: string;
  readonly to: string;
  readonly isGrave: boolean;
}

/** What an admin should look at, each with the place where it is resolved. */
export function Attention({ status }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { data: backups } = useQuery(backupsQuery);
  const { data: nodes = [] } = useQuery(nodesQuery);
  const { core, disk } = status;
  const concerns: Concern[] = [];
  if (core.state !== 'running')
    concerns.push({
      key: 'core',
      text: core.state === 'error' ? t('concern.coreFailed') : t('concern.coreStopped'),
      to: '/core',
      isGrave: true,
    });
  if (disk.total > 0 && disk.current / disk.total > FULL)
    concerns.push({
      key: 'disk',
      text: t('concern.disk', { share: format.percent(disk.current / disk.total) }),
      to: '/backups',
      isGrave: true,
    });
  if (backups?.late) concerns.push({ key: 'backup', text: t('concern.backupLate'), to: '/backups', isGrave: false });
  if (backups?.last?.why)
    concerns.push({ key: 'backupFailed', text: t('concern.backupFailed'), to: '/backups', isGrave: true });
  for (const node of nodes) {
    if (node.enable && node.status === 'offline')
      concerns.push({
        key: `node-${node.id}`,
        text: t('concern.nodeOffline', { name: node.name }),
        to: `/nodes/${node.id}`,
        isGrave: true,
      });
    else if (node.enable && node.pendingChanges > 0)
      concerns.push({
        key: `node-${node.id}`,
        text: t('concern.nodeBehind', { name: node.name, count: node.pendingChanges }),
        to: `/nodes/${node.id}`,
        isGrave: false,
      });
  }
  if (concerns.length === 0)
    return (
      <div className={classes['calm']}>
        <IconCircleCheck size={22} aria-hidden />
        <Text size="sm">{t('attention.none')}</Text>
      </div>
    );
  return (
    <ul className={classes['concerns']}>
      {concerns.map(({ key, text, to, isGrave }) => (
        <li key={key}>
          <Status tone={isGrave ? 'bad' : 'warn'}>
            <Anchor component={Link} to={to} size="sm" c="inherit">
              {text}
            </Anchor>
          </Status>
        </li>
      ))}
    </ul>
  );
}
