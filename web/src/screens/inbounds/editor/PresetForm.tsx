import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { ApiError, api } from '../../../api/client';
import { Loaded } from '../../../ui/display/Page';
import { useAction } from '../../../ui/feedback/action';
import { useUnsaved } from '../../../ui/feedback/leave';
import { sentenceOf, toastError } from '../../../ui/feedback/toast';
import { useCurlButton } from '../../../ui/form/FormFooter';
import { Refusal } from '../../../ui/form/Refusal';
import { bodyOf, type Draft } from './draft';
import { type Answers, draftFor, type Preset, proposed, secondOf } from './presets';

interface Props {
  readonly preset: Exclude<Preset, 'empty'>;
  /** Opens all options with what was entered. */
  readonly onMore: (draft: Draft) => void;
}

/** Two questions, and the inbound works. */
export function PresetForm({ preset, onMore }: Props) {
  const query = useQuery({
    queryKey: ['preset', preset],
    queryFn: () => proposed(preset),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} rows={3}>
      {(start) => <Questions preset={preset} start={start} onMore={onMore} />}
    </Loaded>
  );
}

function Questions({ preset, start, onMore }: Props & { readonly start: Answers }) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const navigate = useNavigate();
  const [answers, setAnswers] = useState(start);
  const [attempts, setAttempts] = useState(0);
  const second = secondOf[preset];
  const empty = (text: string): string | undefined => (attempts > 0 && text.trim() === '' ? t('required') : undefined);
  const isComplete = answers.remark.trim() !== '' && answers.second.trim() !== '';
  const add = useAction<Answers>({
    stale: [['inbounds']],
    silent: true,
    run: async (given) => api.post('/panel/api/inbounds/add', { body: bodyOf(await draftFor(preset, given)) }),
  });
  const isDirty = answers.remark !== start.remark || answers.second !== start.second;
  useUnsaved(isDirty && !add.isPending && !add.isSuccess, '');
  const curl = usePresetCurl(preset, answers, isComplete);
  const submit = (): void => {
    setAttempts((before) => before + 1);
    if (isComplete) add.mutate(answers, { onSuccess: () => void navigate('/inbounds') });
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [attempts, add.error]);
  const refusal = add.error ? sentenceOf(add.error) : '';
  const isOfPort = add.error instanceof ApiError && add.error.code.startsWith('PORT_');
  const more = (): void => {
    draftFor(preset, answers).then(onMore, toastError);
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Paper p="md" maw={560} withBorder>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t(`preset.${preset}.body`)}
          </Text>
          <Refusal text={isOfPort ? '' : refusal} />
          <TextInput
            label={t('field.remark')}
            withAsterisk
            error={empty(answers.remark)}
            value={answers.remark}
            onChange={({ currentTarget: { value } }) => setAnswers((all) => ({ ...all, remark: value }))}
            dir="auto"
          />
          <TextInput
            label={t(`question.${second}`)}
            description={t(`question.${second}.help`)}
            withAsterisk
            error={empty(answers.second) ?? (isOfPort && second === 'port' ? refusal : undefined)}
            inputMode={second === 'port' ? 'numeric' : 'url'}
            value={answers.second}
            onChange={({ currentTarget: { value } }) => setAnswers((all) => ({ ...all, second: value }))}
            dir="ltr"
            spellCheck={false}
            autoCapitalize="none"
          />
          {second !== 'port' && (
            <TextInput
              label={t('field.port')}
              description={t('question.port.help')}
              error={isOfPort ? refusal : undefined}
              inputMode="numeric"
              value={String(answers.port)}
              onChange={({ currentTarget: { value } }) =>
                setAnswers((all) => ({ ...all, port: Number(value.replaceAll(/\D/g, '')) }))
              }
              dir="ltr"
            />
          )}
          {curl.view}
          <Group justify="space-between">
            <Group gap="xs">
              <Button variant="subtle" onClick={more}>
                {t('allOptions')}
              </Button>
              {curl.button}
            </Group>
            <Button type="submit" loading={add.isPending}>
              {t('add')}
            </Button>
          </Group>
        </Stack>
      </Paper>
    </form>
  );
}

/** The request with keys of its own, made when it is shown: a later one has others. */
function usePresetCurl(preset: Props['preset'], answers: Answers, isComplete: boolean) {
  const { isOpen, button, viewOf } = useCurlButton();
  const [settled] = useDebouncedValue(answers, 300);
  const { data } = useQuery({
    queryKey: ['preset', preset, 'draft', settled],
    queryFn: () => draftFor(preset, settled),
    enabled: isOpen && isComplete,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const body = isComplete && data ? bodyOf(data) : null;
  return { button, view: isOpen && viewOf(body && api.request('/panel/api/inbounds/add', { body })) };
}
