import { Alert, Button, Group, JsonInput, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { api } from '../../api/client';
import type { Inbound } from '../../api/contract.generated';
import { inbounds as inboundsQuery } from '../../api/queries';
import { NotFound } from '../../shell/Screens';
import { useAction } from '../../ui/action';
import { Loaded, Page } from '../../ui/Page';
import { sentenceOf, toastError } from '../../ui/toast';
import { bodyOf, type Draft, draftOf } from './draft';
import { FormFields, missing } from './FormFields';
import { type Generator, generated } from './generators';
import { PresetChoice } from './PresetChoice';
import { draftFor, PRESETS, type Preset } from './presets';

/** `#/inbounds/:id`: changes an inbound. */
export function EditInbound() {
  const { id } = useParams();
  const { t } = useTranslation('inbounds');
  const query = useQuery(inboundsQuery);
  const inbound = query.data?.find((one) => String(one.id) === id);
  if (query.data && !inbound) return <NotFound />;
  return (
    <Page title={inbound ? inbound.remark || `#${inbound.id}` : t('title')}>
      <Loaded query={query}>
        {(all) => inbound && <Editor key={inbound.id} inbound={inbound} start={draftOf(inbound)} inbounds={all} />}
      </Loaded>
    </Page>
  );
}

/** `#/inbounds/new`: first the purpose, then the form. */
export function NewInbound() {
  const { t } = useTranslation('inbounds');
  const query = useQuery(inboundsQuery);
  const [params, setParams] = useSearchParams();
  const preset = PRESETS.find((one) => one === params.get('preset'));
  return (
    <Page title={t('add')}>
      <Loaded query={query}>
        {(all) =>
          preset ? (
            <FromPreset key={preset} preset={preset} inbounds={all} />
          ) : (
            <PresetChoice onChoose={(chosen) => setParams({ preset: chosen })} />
          )
        }
      </Loaded>
    </Page>
  );
}

function FromPreset({ preset, inbounds }: { readonly preset: Preset; readonly inbounds: readonly Inbound[] }) {
  const query = useQuery({
    queryKey: ['preset', preset],
    queryFn: () => draftFor(preset, inbounds),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Loaded query={query}>{(start) => <Editor inbound={null} start={start} inbounds={inbounds} />}</Loaded>;
}

interface EditorProps {
  /** Null = a new one. */
  readonly inbound: Inbound | null;
  readonly start: Draft;
  readonly inbounds: readonly Inbound[];
}

function Editor({ inbound, start, inbounds }: EditorProps) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const navigate = useNavigate();
  const [draft, setDraft] = useState(start);
  const [tab, setTab] = useState<string | null>('form');
  const [json, setJson] = useState('');
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [refusal, setRefusal] = useState('');
  const save = useAction<Draft>({
    stale: [['inbounds']],
    silent: true,
    run: (value) => {
      const body = bodyOf(value);
      return inbound
        ? api.post('/panel/api/inbounds/update/:id', { params: { id: inbound.id }, body })
        : api.post('/panel/api/inbounds/add', { body });
    },
    undo: inbound
      ? () => api.post('/panel/api/inbounds/update/:id', { params: { id: inbound.id }, body: bodyOf(start) })
      : undefined,
  });

  const change = (next: Draft): void => {
    setDraft(next);
    setProblems({});
  };
  const generate = (generator: Generator): void => {
    generated(draft, generator, inbounds).then(change, toastError);
  };
  const turn = (next: string | null): void => {
    if (next === 'json') setJson(JSON.stringify(draft, null, 2));
    const parsed = next === 'form' ? parse(json) : draft;
    if (parsed === null) return setRefusal(t('notJson'));
    setRefusal('');
    setDraft(parsed);
    setTab(next);
  };
  const submit = (): void => {
    const value = tab === 'json' ? parse(json) : draft;
    if (value === null) return setRefusal(t('notJson'));
    const empty = missing(value, t('required'));
    setProblems(empty);
    setDraft(value);
    setRefusal('');
    if (Object.keys(empty).length > 0) return setTab('form');
    save.mutate(value, {
      onSuccess: () => void navigate('/inbounds'),
      onError: (error) => setRefusal(sentenceOf(error)),
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md" maw={880}>
        <Tabs value={tab} onChange={turn} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="form">{t('tab.form')}</Tabs.Tab>
            <Tabs.Tab value="json">{t('tab.json')}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form" pt="md">
            <Stack gap="md">
              <FormFields
                draft={draft}
                isNew={inbound === null}
                onChange={change}
                onGenerate={generate}
                problems={problems}
              />
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="json" pt="md">
            <JsonInput
              aria-label={t('tab.json')}
              description={t('json.help')}
              autosize
              minRows={16}
              maxRows={40}
              formatOnBlur
              value={json}
              onChange={setJson}
              dir="ltr"
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
          </Tabs.Panel>
        </Tabs>
        {refusal !== '' && (
          <Alert color="red" variant="light" role="alert">
            <Text size="sm">{refusal}</Text>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void navigate('/inbounds')}>
            {t('cancel', { ns: 'shell' })}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {inbound ? t('save', { ns: 'shell' }) : t('add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function parse(text: string): Draft | null {
  try {
    return JSON.parse(text) as Draft;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
