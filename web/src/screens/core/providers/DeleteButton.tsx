import { Button } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Done } from '../../../api/client';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';

interface Props {
  readonly stale: readonly QueryKey[];
  readonly run: () => Promise<Done<unknown>>;
}

/** Deletes the registration at a provider, after a question. */
export function DeleteButton({ stale, run }: Props) {
  const { t } = useTranslation('core');
  const deleting = useAction({ stale, run, said: () => t('provider.deleted') });
  const ask = (): void =>
    confirmLoss({
      title: t('provider.deleteTitle'),
      body: t('provider.deleteBody'),
      action: t('provider.delete'),
      run: () => deleting.mutate(),
    });
  return (
    <Button size="xs" variant="light" color="red" loading={deleting.isPending} onClick={ask}>
      {t('provider.delete')}
    </Button>
  );
}
