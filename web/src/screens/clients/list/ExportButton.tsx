import { ActionIcon, Tooltip } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useMutation } from '@tanstack/react-query';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { ClientQuery } from '../../../api/queries';
import { localDate } from '../../../model/local-date';
import { saveFile } from '../../../ui/display/save';
import { toastError } from '../../../ui/feedback/toast';

/** Saves all clients of the current view, not only those that are loaded. The search may be a credential: it is in no URL. */
export const ExportButton = memo(function ExportButton({ query }: { readonly query: ClientQuery }) {
  const { t } = useTranslation('clients');
  const save = useMutation({
    mutationFn: () => api.download('/panel/api/clients/export', { body: query }),
    onSuccess: (file) => saveFile(file, `clients-${localDate(Date.now())}.csv`),
    onError: toastError,
  });
  return (
    <Tooltip label={t('export')}>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('export')}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        <IconDownload size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
});
