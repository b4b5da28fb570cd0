import { ActionIcon, Divider, NavLink, Popover, Skeleton } from '@mantine/core';
import IconAdjustments from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconKeyboard from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs';
import IconLogout from '@tabler/icons-react/dist/esm/icons/IconLogout.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Live } from '../live/live';
import { logOut } from './log-out';
import { usePart } from './part';

const loadViewSettings = async () => (await import('./ViewSettings')).ViewSettings;

interface Props {
  readonly live: Live;
  readonly onHelp: () => void;
  /** Null for a role that cannot see the past. */
  readonly onMoment: (() => void) | null;
}

/** Theme, density and language, an earlier time, the keyboard shortcuts, and the logout. */
export function ViewMenu({ live, onHelp, onMoment }: Props) {
  const { t } = useTranslation('shell');
  const [isOpen, setOpen] = useState(false);
  const [ViewSettings, loadsViewSettings] = usePart(loadViewSettings);
  const toggle = (): void => {
    loadsViewSettings();
    setOpen(!isOpen);
  };
  const showHelp = (): void => {
    setOpen(false);
    onHelp();
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={260} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon size="lg" aria-label={t('view')} onClick={toggle}>
          <IconAdjustments size={20} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={4} aria-label={t('view')}>
        {ViewSettings ? <ViewSettings live={live} /> : <Skeleton height={180} />}
        <Divider my={4} />
        {onMoment && (
          <NavLink
            component="button"
            label={t('past.open')}
            leftSection={<IconHistory size={16} aria-hidden />}
            onClick={() => {
              setOpen(false);
              onMoment();
            }}
          />
        )}
        <NavLink
          component="button"
          label={t('keys.title')}
          leftSection={<IconKeyboard size={16} aria-hidden />}
          onClick={showHelp}
        />
        <NavLink
          component="button"
          label={t('logout')}
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={logOut}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
