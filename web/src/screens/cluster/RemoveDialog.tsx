import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { ClusterMember } from '../../api/contract.generated';
import { useAction } from '../../ui/feedback/action';
import { DestroyDialog } from '../../ui/feedback/DestroyDialog';
import { STALE } from './queries';

interface Props {
  readonly member: ClusterMember;
  readonly onClose: () => void;
}

/** Asks before a member is removed, with the inbounds that then run nowhere. */
export function RemoveDialog({ member: { name, state, inbounds }, onClose }: Props) {
  const { t } = useTranslation('cluster');
  // The dialog has named what the panel would refuse without it.
  const force = state === 'running' || inbounds.length > 0;
  const request = api.request('/panel/api/cluster/remove', { body: { member: name, force } });
  const removing = useAction({ stale: [...STALE, ['inbounds']], silent: true, run: () => request.send() });
  const names = inbounds.map(({ remark, tag }) => remark || tag).join(', ');
  return (
    <DestroyDialog
      title={t('remove.title', { name })}
      submit={t('remove')}
      request={request}
      action={removing}
      onClose={onClose}
    >
      <Text size="sm">{t('remove.body')}</Text>
      {state === 'running' && <Text size="sm">{t('remove.running')}</Text>}
      {inbounds.length > 0 && <Text size="sm">{t('remove.inbounds', { count: inbounds.length, names })}</Text>}
    </DestroyDialog>
  );
}
