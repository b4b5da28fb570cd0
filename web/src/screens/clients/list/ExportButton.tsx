import { ActionIcon, Tooltip } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { ClientQuery } from '../../../api/queries';

/** Saves all clients of the current view, not only those that are loaded. */
export function ExportButton({ query }: { readonly query: ClientQuery }) {
  const { t } = useTranslation('clients');
  return (
    <Tooltip label={t('export')}>
      <ActionIcon
        component="a"
        variant="default"
        size={36}
        aria-label={t('export')}
        href={api.file('/panel/api/clients/export', { query })}
        download
      >
        <IconDownload size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
