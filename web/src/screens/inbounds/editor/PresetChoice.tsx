import { SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from '../Inbounds.module.css';
import { PRESETS, type Preset } from './presets';

/** What the new inbound is for: each leads to a form that is filled in already. */
export function PresetChoice({ onChoose }: { readonly onChoose: (preset: Preset) => void }) {
  const { t } = useTranslation('inbounds');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
      {PRESETS.map((preset) => (
        <UnstyledButton key={preset} className={classes['preset']} onClick={() => onChoose(preset)}>
          <Text fw={600} size="sm">
            {t(`preset.${preset}`)}
          </Text>
          <Text size="sm" c="dimmed">
            {t(`preset.${preset}.body`)}
          </Text>
        </UnstyledButton>
      ))}
    </SimpleGrid>
  );
}
