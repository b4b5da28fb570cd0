import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { useAction } from '../../ui/feedback/action';
import { DestroyDialog } from '../../ui/feedback/DestroyDialog';
import { HeirSelect } from './HandOver';
import { type Admin, STALE, tokens as tokensQuery } from './queries';

interface Props {
  readonly admin: Admin;
  readonly admins: readonly Admin[];
  readonly onClose: () => void;
}

/** Says what ends with an account and what stays, and who gets the clients. */
export function DeleteAdmin({ admin, admins, onClose }: Props) {
  const { t } = useTranslation('access');
  const [heir, setHeir] = useState('0');
  const { data: tokens = [] } = useQuery({ ...tokensQuery, enabled: useMay()('/panel/api/tokens/list') });
  const ending = tokens.filter((token) => token.admin === admin.id).length;
  const request = api.request('/panel/api/admins/del/:id', { params: { id: admin.id }, body: { owner: Number(heir) } });
  const deleting = useAction({
    stale: [...STALE, ['inbounds']],
    silent: true,
    said: () => t('deleted', { name: admin.username }),
    run: () => request.send(),
  });
  return (
    <DestroyDialog
      title={t('deleteTitle', { name: admin.username })}
      submit={t('delete')}
      request={request}
      action={deleting}
      onClose={onClose}
    >
      <Text size="sm">{t('delete.body')}</Text>
      {ending > 0 && <Text size="sm">{t('delete.tokens', { count: ending })}</Text>}
      {admin.clients > 0 && (
        <>
          <Text size="sm">{t('delete.clients', { count: admin.clients })}</Text>
          <HeirSelect
            admins={admins.filter(({ id }) => id !== admin.id)}
            value={heir}
            onChange={({ currentTarget }) => setHeir(currentTarget.value)}
          />
        </>
      )}
    </DestroyDialog>
  );
}
