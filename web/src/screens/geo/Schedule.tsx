import { NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { Loaded } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { FormFooter } from '../../ui/form/FormFooter';
import { Locked } from '../../ui/form/Locked';
import { schedule as scheduleQuery } from './queries';

/** Cron expressions under names that people use. */
const NAMED = { never: '', daily: '0 4 * * *', weekly: '0 4 * * 1' } as const;
const CUSTOM = 'custom';
type Choice = keyof typeof NAMED | typeof CUSTOM;

/** When all lists are downloaded again by themselves. */
export function Schedule() {
  const { t } = useTranslation('geo');
  const query = useQuery(scheduleQuery);
  return (
    <Paper p="md" component="section">
      <Text component="h2" fw={600} size="sm" mb="sm">
        {t('schedule')}
      </Text>
      <Loaded query={query} rows={1}>
        {(cron) => (
          <Locked unless="/panel/setting/update">
            <Form key={cron} cron={cron} />
          </Locked>
        )}
      </Loaded>
    </Paper>
  );
}

const choiceOf = (cron: string): Choice =>
  (Object.keys(NAMED) as (keyof typeof NAMED)[]).find((name) => NAMED[name] === cron) ?? CUSTOM;

function Form({ cron }: { readonly cron: string }) {
  const { t } = useTranslation(['geo', 'shell']);
  const [choice, setChoice] = useState(choiceOf(cron));
  const [custom, setCustom] = useState(cron);
  const [refusal, setRefusal] = useState('');
  const requestOf = (geoUpdateSchedule: string) =>
    api.request('/panel/setting/update', { body: { geoUpdateSchedule } });
  const saving = useAction<string>({
    stale: [['settings']],
    silent: true,
    run: (schedule) => requestOf(schedule).send(),
    undo: () => requestOf(cron).send(),
  });
  const chosen = choice === CUSTOM ? custom.trim() : NAMED[choice];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setRefusal('');
        saving.mutate(chosen, { onError: (error) => setRefusal(sentenceOf(error)) });
      }}
    >
      <Stack gap="sm">
        <NativeSelect
          aria-label={t('schedule')}
          value={choice}
          onChange={({ currentTarget }) => setChoice(currentTarget.value as Choice)}
          data={([...Object.keys(NAMED), CUSTOM] as Choice[]).map((value) => ({
            value,
            label: t(`schedule.${value}`),
          }))}
        />
        {choice === CUSTOM && (
          <TextInput
            label={t('schedule.cron')}
            description={t('schedule.help')}
            dir="ltr"
            spellCheck={false}
            value={custom}
            onChange={({ currentTarget }) => setCustom(currentTarget.value)}
          />
        )}
        {refusal !== '' && (
          <Text size="sm" c="var(--bad)" role="alert">
            {refusal}
          </Text>
        )}
        {chosen !== cron && (
          <FormFooter submit={t('save', { ns: 'shell' })} isBusy={saving.isPending} request={() => requestOf(chosen)} />
        )}
      </Stack>
    </form>
  );
}
