import { ActionIcon, Menu, Skeleton } from '@mantine/core';
import IconAdjustments from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import IconKeyboard from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs';
import IconLogout from '@tabler/icons-react/dist/esm/icons/IconLogout.mjs';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/client';
import type { Live } from '../live/live';
import { toastError } from '../ui/toast';

const ViewSettings = lazy(async () => ({ default: (await import('./ViewSettings')).ViewSettings }));

/** Theme, density and language, the keyboard shortcuts, and the logout. */
export function ViewMenu({ live, onHelp }: { readonly live: Live; readonly onHelp: () => void }) {
  const { t } = useTranslation('shell');
  const logOut = (): void => {
    api.post('/logout').then(() => location.reload(), toastError);
  };
  return (
    <Menu position="bottom-end" width={260} closeOnItemClick shadow="md">
      <Menu.Target>
        <ActionIcon size="lg" aria-label={t('view')}>
          <IconAdjustments size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Suspense fallback={<Skeleton height={180} />}>
          <ViewSettings live={live} />
        </Suspense>
        <Menu.Divider />
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onHelp}>
          {t('keys.title')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={logOut}>
          {t('logout')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
