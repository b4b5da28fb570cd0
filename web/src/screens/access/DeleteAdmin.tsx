import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { useCurl } from '../../ui/form/FormFooter';
import { HeirSelect } from './HandOver';
import { type Admin, STALE, tokens as tokensQuery } from './queries';

interface Props {
  readonly admin: Admin;
  readonly admins: readonly Admin[];
  readonly onClose: () => void;
}

/** Says what ends with an account and what stays, and who gets the clients. */
export function DeleteAdmin({ admin, admins, onClose }: Props) {
  const { t } = useTranslation(['access', 'shell']);
  const [heir, setHeir] = useState('0');
  const [refusal, setRefusal] = useState('');
  const { data: tokens = [] } = useQuery({ ...tokensQuery, enabled: useMay()('/panel/api/tokens/list') });
  const ending = tokens.filter((token) => token.admin === admin.id).length;
  const request = api.request('/panel/api/admins/del/:id', { params: { id: admin.id }, body: { owner: Number(heir) } });
  const curl = useCurl(() => request);
  const deleting = useAction({
    stale: [...STALE, ['inbounds']],
    silent: true,
    said: () => t('deleted', { name: admin.username }),
    run: () => request.send(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefusal('');
    deleting.mutate(undefined, { onSuccess: onClose, onError: (error) => setRefusal(sentenceOf(error)) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('deleteTitle', { name: admin.username })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
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
          {refusal !== '' && (
            <Text size="sm" c="var(--bad)" role="alert">
              {refusal}
            </Text>
          )}
          {curl.view}
          <Group justify="flex-end" gap="sm">
            <Group me="auto">{curl.button}</Group>
            <Button variant="default" onClick={onClose} data-autofocus>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button type="submit" color="red" loading={deleting.isPending}>
              {t('delete')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
