import { Button, Group, Paper, Text } from '@mantine/core';
import IconRocket from '@tabler/icons-react/dist/esm/icons/IconRocket.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormat } from '../../ui/display/format';
import classes from './Setup.module.css';
import { hideOffer, isHidden, isOffered, STEPS, setup } from './steps';

export function Offer() {
  const { t } = useTranslation('setup');
  const format = useFormat();
  const { data } = useQuery(setup);
  const [hidden, setHidden] = useState(isHidden);
  if (!data || hidden || !isOffered(data)) return null;
  const done = STEPS.filter((step) => data[step]).length;
  return (
    <Paper p="md" component="section" aria-label={t('offer.title')} className={classes['offer']}>
      <IconRocket size={28} stroke={1.6} aria-hidden />
      <div className={classes['grow']}>
        <Text component="h2" fw={600}>
          {t('offer.title')}
        </Text>
        <Text size="sm" c="dimmed">
          {t('offer.body', { done: format.number(done), all: format.number(STEPS.length) })}
        </Text>
      </div>
      <Group gap="xs">
        <Button
          variant="subtle"
          onClick={() => {
            hideOffer();
            setHidden(true);
          }}
        >
          {t('offer.hide')}
        </Button>
        <Button component={Link} to="/setup">
          {t(done === 0 ? 'offer.begin' : 'offer.continue')}
        </Button>
      </Group>
    </Paper>
  );
}
