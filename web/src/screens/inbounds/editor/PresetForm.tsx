import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { ApiError, api } from '../../../api/client';
import type { Inbound } from '../../../api/contract.generated';
import { Loaded, Loading } from '../../../ui/display/Page';
import { useAction } from '../../../ui/feedback/action';
import { useUnsaved } from '../../../ui/feedback/leave';
import { sentenceOf, toastError } from '../../../ui/feedback/toast';
import { useCurlButton } from '../../../ui/form/FormFooter';
import { Refusal } from '../../../ui/form/Refusal';
import { bodyOf, type Draft } from './draft';
import { type Answers, draftFor, inboundFor, type Preset, proposed, secondOf } from './presets';

const PresetResult = lazy(async () => ({ default: (await import('./PresetResult')).PresetResult }));

interface Props {
  readonly preset: Exclude<Preset, 'empty'>;
  /** Opens all options with what was entered. */
  readonly onMore: (draft: Draft) => void;
}

/** Two questions, and the inbound works: its first client connects with the link that is shown in the end. */
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
  const { answers, setAnswers, attempts, made, add, isComplete, submit } = useQuestions(preset, start);
  const curl = usePresetCurl(preset, answers, isComplete);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [attempts, add.error]);
  if (made)
    return (
      <Suspense fallback={<Loading rows={3} />}>
        <PresetResult inbound={made.id} email={made.email} />
      </Suspense>
    );
  const field = problemOf(preset, add.error);
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
          <Refusal text={add.error && !field ? sentenceOf(add.error) : ''} />
          <Fields
            preset={preset}
            answers={answers}
            onChange={(changes) => setAnswers((all) => ({ ...all, ...changes }))}
            problemOf={(name) => {
              if (attempts > 0 && REQUIRED.has(name) && String(answers[name]).trim() === '') return t('required');
              return name === field ? sentenceOf(add.error) : undefined;
            }}
          />
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

const REQUIRED: ReadonlySet<keyof Answers> = new Set(['remark', 'second']);

/** The field that a refusal is about; null = none of them. */
function problemOf(preset: Props['preset'], error: unknown): keyof Answers | null {
  const code = error instanceof ApiError ? error.code : '';
  if (code.startsWith('EMAIL_')) return 'client';
  if (!code.startsWith('PORT_')) return null;
  return secondOf[preset] === 'port' ? 'second' : 'port';
}

/** The answers, and the request that makes the inbound with its first client of them. */
function useQuestions(preset: Props['preset'], start: Answers) {
  const navigate = useNavigate();
  const [answers, setAnswers] = useState(start);
  const [attempts, setAttempts] = useState(0);
  const [made, setMade] = useState<{ readonly id: number; readonly email: string } | null>(null);
  const isComplete = answers.remark.trim() !== '' && answers.second.trim() !== '';
  const add = useAction<Answers, Inbound>({
    stale: [['inbounds']],
    silent: true,
    run: async (given) => api.post('/panel/api/inbounds/add', { body: bodyOf(await inboundFor(preset, given)) }),
  });
  const isDirty = (['remark', 'second', 'client'] as const).some((name) => answers[name] !== start[name]);
  useUnsaved(isDirty && !add.isPending && !add.isSuccess, '');
  const submit = (): void => {
    setAttempts((before) => before + 1);
    if (!isComplete) return;
    add.mutate(answers, {
      onSuccess({ obj }, { client }) {
        if (client.trim() === '') void navigate('/inbounds');
        else setMade({ id: obj.id, email: client.trim() });
      },
    });
  };
  return { answers, setAnswers, attempts, made, add, isComplete, submit };
}

interface FieldsProps {
  readonly preset: Props['preset'];
  readonly answers: Answers;
  readonly onChange: (changes: Partial<Answers>) => void;
  readonly problemOf: (name: keyof Answers) => string | undefined;
}

function Fields({ preset, answers, onChange, problemOf: problem }: FieldsProps) {
  const { t } = useTranslation('inbounds');
  const second = secondOf[preset];
  return (
    <>
      <TextInput
        label={t('field.remark')}
        withAsterisk
        error={problem('remark')}
        value={answers.remark}
        onChange={({ currentTarget: { value } }) => onChange({ remark: value })}
        dir="auto"
      />
      <TextInput
        label={t(`question.${second}`)}
        description={t(`question.${second}.help`)}
        withAsterisk
        error={problem('second')}
        inputMode={second === 'port' ? 'numeric' : 'url'}
        value={answers.second}
        onChange={({ currentTarget: { value } }) => onChange({ second: value })}
        dir="ltr"
        spellCheck={false}
        autoCapitalize="none"
      />
      {second !== 'port' && (
        <TextInput
          label={t('field.port')}
          description={t('question.port.help')}
          error={problem('port')}
          inputMode="numeric"
          value={String(answers.port)}
          onChange={({ currentTarget: { value } }) => onChange({ port: Number(value.replaceAll(/\D/g, '')) })}
          dir="ltr"
        />
      )}
      <TextInput
        label={t('question.client')}
        description={t('question.client.help')}
        error={problem('client')}
        value={answers.client}
        onChange={({ currentTarget: { value } }) => onChange({ client: value })}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        autoCapitalize="none"
      />
    </>
  );
}

/** The request with keys of its own, made when it is shown: a later one has others. */
function usePresetCurl(preset: Props['preset'], answers: Answers, isComplete: boolean) {
  const { isOpen, button, viewOf } = useCurlButton();
  const [settled] = useDebouncedValue(answers, 300);
  const { data } = useQuery({
    queryKey: ['preset', preset, 'draft', settled],
    queryFn: () => inboundFor(preset, settled),
    enabled: isOpen && isComplete,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const body = isComplete && data ? bodyOf(data) : null;
  return { button, view: isOpen && viewOf(body && api.request('/panel/api/inbounds/add', { body })) };
}
