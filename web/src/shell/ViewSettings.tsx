import { NativeSelect, Stack, Text, useDirection, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changeLanguage, directionOf, type Language, languageNames, languages } from '../i18n/i18n';
import type { Live } from '../live/live';
import { SegmentedControl } from '../ui/form/SegmentedControl';
import { usePreferences } from './preferences';

/** Theme, density and language. */
export function ViewSettings({ live }: { readonly live: Live }) {
  const { t, i18n } = useTranslation('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { setDirection } = useDirection();
  const [{ density }, setPreferences] = usePreferences();
  const client = useQueryClient();

  const switchLanguage = async (language: Language): Promise<void> => {
    await changeLanguage(language);
    setDirection(directionOf(language));
    // The panel translates its messages for each connection.
    live.reconnect();
    await client.invalidateQueries();
  };
  return (
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
        onChange={({ target }) => void switchLanguage(target.value as Language)}
      />
    </Stack>
  );
}
