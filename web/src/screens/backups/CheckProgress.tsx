import { Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/display/format';
import classes from './Backups.module.css';
import type { Check } from './queries';

type Phase = Exclude<Check['phase'], 'ready' | 'refused'> | 'upload';
/** A backup is verified, a database of 3x-ui is imported: both are the same step to the reader. */
const STEPS = ['upload', 'reading', 'verifying', 'preparing'] as const;
const stepOf = (phase: Phase): (typeof STEPS)[number] =>
  phase === 'importing' ? 'verifying' : phase === 'waiting' ? 'reading' : phase;

interface Props {
  readonly phase: Check['phase'] | 'upload';
  /** 0 of 0 = it cannot be counted. */
  readonly done: number;
  readonly total: number;
}

/** How far the check is, by its phase. */
export function CheckProgress({ phase, done, total }: Props) {
  const { t } = useTranslation('backups');
  const format = useFormat();
  if (phase === 'ready' || phase === 'refused') return null;
  const isCounted = total > 0;
  const percent = isCounted ? Math.min(100, (done / total) * 100) : 100;
  const text =
    phase === 'verifying' && isCounted
      ? t('phase.verifyingOf', { done: format.number(done), total: format.number(total) })
      : t(`phase.${phase}`);
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {text}
      </Text>
      <Progress value={percent} striped={!isCounted} animated={!isCounted} aria-label={t('progress')} />
      <ol className={classes['steps']}>
        {STEPS.map((step) => (
          <li key={step} {...(stepOf(phase) === step ? { 'aria-current': 'step' as const } : {})}>
            {t(`step.${step}`)}
          </li>
        ))}
      </ol>
      <Text size="xs" c="dimmed">
        {t('progress.nothing')}
      </Text>
    </Stack>
  );
}
