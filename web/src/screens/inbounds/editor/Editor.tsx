import { Box, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { useMay } from '../../../api/access';
import { ApiError } from '../../../api/client';
import type { InboundForm } from '../../../api/contract.generated';
import { NotFound } from '../../../ui/display/NotFound';
import { Loaded, Loading, Page } from '../../../ui/display/Page';
import { useCurl } from '../../../ui/form/FormFooter';
import { Refusal } from '../../../ui/form/Refusal';
import classes from '../Inbounds.module.css';
import { inboundForm } from '../queries';
import { type Draft, draftOf } from './draft';
import { PresetChoice } from './PresetChoice';
import { draftFor, PRESETS, proposed } from './presets';
import { SharePreview } from './SharePreview';
import { useEditor } from './useEditor';

const InboundConflict = lazy(async () => ({ default: (await import('../InboundConflict')).InboundConflict }));
const PresetForm = lazy(async () => ({ default: (await import('./PresetForm')).PresetForm }));
const FormFields = lazy(async () => ({ default: (await import('./FormFields')).FormFields }));
const Losses = lazy(async () => ({ default: (await import('./Losses')).Losses }));
const Code = lazy(async () => ({ default: (await import('../../../ui/form/Code')).Code }));

/** `#/inbounds/:id`: changes an inbound. */
export function EditInbound() {
  const { id = '' } = useParams();
  const { t } = useTranslation('inbounds');
  const query = useQuery({
    ...inboundForm(/^\d{1,9}$/.test(id) ? Number(id) : 0),
    retry: (count, error) => !(error instanceof ApiError) && count < 3,
  });
  const isUnknown = query.error instanceof ApiError && !query.error.isOffline && query.data === undefined;
  if (isUnknown) return <NotFound />;
  const title = query.data ? query.data.remark || `#${query.data.id}` : t('title');
  return (
    <Page title={title} back={{ to: '/inbounds', label: t('title') }}>
      <Loaded query={query} rows={10}>
        {(inbound) => <Editor key={inbound.id} inbound={inbound} start={draftOf(inbound)} />}
      </Loaded>
    </Page>
  );
}

/** `#/inbounds/new`: first the purpose, then two questions, or all options. */
export function NewInbound() {
  const { t } = useTranslation('inbounds');
  const [params, setParams] = useSearchParams();
  const [start, setStart] = useState<Draft | null>(null);
  const preset = PRESETS.find((one) => one === params.get('preset'));
  const may = useMay();
  const isOpen = preset !== undefined && start !== null;
  if (!may('/panel/api/inbounds/add')) return <NotFound />;
  return (
    <Page
      title={preset && preset !== 'empty' ? t(`preset.${preset}`) : t('add')}
      back={preset ? { to: '/inbounds/new', label: t('add') } : { to: '/inbounds', label: t('title') }}
    >
      {isOpen ? (
        <Editor inbound={null} start={start} />
      ) : preset === 'empty' ? (
        <EmptyInbound />
      ) : preset ? (
        <Suspense fallback={<Loading rows={3} />}>
          <PresetForm key={preset} preset={preset} onMore={setStart} />
        </Suspense>
      ) : (
        <PresetChoice
          onChoose={(chosen) => {
            setStart(null);
            setParams({ preset: chosen });
          }}
        />
      )}
    </Page>
  );
}

function EmptyInbound() {
  const query = useQuery({
    queryKey: ['preset', 'empty'],
    queryFn: async () => draftFor('empty', await proposed('empty')),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Loaded query={query}>{(start) => <Editor inbound={null} start={start} />}</Loaded>;
}

interface EditorProps {
  /** Null = a new one. */
  readonly inbound: InboundForm | null;
  readonly start: Draft;
}

function Editor({ inbound, start }: EditorProps) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const navigate = useNavigate();
  const close = (): void => void navigate('/inbounds');
  const editor = useEditor({ inbound, start, onSaved: close });
  const { draft, conflict, jsonProblem } = editor;
  const reason = useId();
  const curl = useCurl(editor.request);
  const may = useMay();
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        editor.submit();
      }}
    >
      <Stack gap="md" maw={880}>
        <Suspense>
          {conflict.isOutdated && !jsonProblem && <InboundConflict found={conflict.found} onMerge={conflict.merge} />}
        </Suspense>
        <Refusal text={editor.refusal} />
        <EditorTabs editor={editor} isNew={inbound === null} />
        <SharePreview draft={draft} id={inbound?.id ?? 0} />
        {curl.view}
        <Group justify="flex-end" gap="xs" className={classes['bar']}>
          {jsonProblem && (
            <Text id={reason} role="alert" size="sm" c="var(--bad)" w="100%">
              {t(jsonProblem)}
            </Text>
          )}
          <Suspense>
            <Losses draft={draft} aside={editor.aside} />
          </Suspense>
          <Box me="auto">{curl.button}</Box>
          <Button variant="default" onClick={close}>
            {t('cancel', { ns: 'shell' })}
          </Button>
          <Button
            variant="default"
            loading={editor.isChecking}
            disabled={jsonProblem !== null}
            aria-describedby={jsonProblem ? reason : undefined}
            onClick={editor.check}
          >
            {t('check')}
          </Button>
          {may(inbound ? '/panel/api/inbounds/update/:id' : '/panel/api/inbounds/add') && (
            <Button
              type="submit"
              loading={editor.isSaving}
              disabled={conflict.isOutdated || jsonProblem !== null}
              aria-describedby={jsonProblem ? reason : undefined}
            >
              {inbound ? t('save', { ns: 'shell' }) : t('add')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function EditorTabs({ editor, isNew }: { readonly editor: ReturnType<typeof useEditor>; readonly isNew: boolean }) {
  const { t } = useTranslation('inbounds');
  const { draft, aside, tab, json, problems, change, generate, turn, setJson } = editor;
  return (
    <Tabs value={tab} onChange={(next) => turn(next === 'json' ? 'json' : 'form')} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="form">{t('tab.form')}</Tabs.Tab>
        <Tabs.Tab value="json">{t('tab.json')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form" pt="md">
        <Suspense fallback={<Loading rows={10} />}>
          <Stack gap="md">
            <FormFields {...{ draft, aside, isNew, problems }} onChange={change} onGenerate={generate} />
          </Stack>
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="json" pt="md">
        <Suspense fallback={<Loading rows={10} />}>
          <Stack gap="xs">
            <Text size="sm" c="dimmed">
              {t('json.help')}
            </Text>
            <Code value={json} label={t('tab.json')} onChange={setJson} />
          </Stack>
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
