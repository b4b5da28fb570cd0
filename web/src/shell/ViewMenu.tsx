import {
  ActionIcon,
  Menu,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  useDirection,
  useMantineColorScheme,
} from '@mantine/core';
import IconAdjustments from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import IconKeyboard from '@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs';
import IconLogout from '@tabler/icons-react/dist/esm/icons/IconLogout.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../api/client';
import { changeLanguage, directionOf, type Language, languageNames, languages } from '../i18n/i18n';
import type { Live } from '../live/live';
import { toastError } from '../ui/toast';
import { usePreferences } from './preferences';

/** How the panel looks, its language, and the way out. */
export function ViewMenu({ live, onHelp }: { readonly live: Live; readonly onHelp: () => void }) {
  const { t, i18n } = useTranslation('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { setDirection } = useDirection();
  const [{ density }, setPreferences] = usePreferences();
  const client = useQueryClient();

  const speak = async (language: Language): Promise<void> => {
    await changeLanguage(language);
    setDirection(directionOf(language));
    // Sentences of the panel come in the new language from now on.
    live.reconnect();
    await client.invalidateQueries();
  };
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
        <Stack gap="sm" p="xs">
          <div>
            <Text size="xs" c="dimmed" mb={4} id="theme-label">
              {t('theme')}
            </Text>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-labelledby="theme-label"
              value={colorScheme}
              onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
              data={[
                { value: 'light', label: t('theme.light') },
                { value: 'dark', label: t('theme.dark') },
                { value: 'auto', label: t('theme.auto') },
              ]}
            />
          </div>
          <div>
            <Text size="xs" c="dimmed" mb={4} id="density-label">
              {t('density')}
            </Text>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-labelledby="density-label"
              value={density}
              onChange={(value) => setPreferences({ density: value === 'compact' ? 'compact' : 'comfortable' })}
              data={[
                { value: 'comfortable', label: t('density.comfortable') },
                { value: 'compact', label: t('density.compact') },
              ]}
            />
          </div>
          <NativeSelect
            label={t('language')}
            size="xs"
            value={i18n.language}
            data={languages.map((value) => ({ value, label: languageNames[value] }))}
            onChange={({ target }) => void speak(target.value as Language)}
          />
        </Stack>
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
