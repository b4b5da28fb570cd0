import { Button, Group, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type Sink, type SinkName, STALE } from './queries';

type Body = NonNullable<Posts['/panel/setting/update']['body']>;

const SETTINGS = {
  ...{ webhook: 'proofWebhook', chat: 'proofChat', file: 'proofFile', git: 'proofGit', panel: 'proofPanel' },
} as const;
const NAMES: readonly SinkName[] = ['webhook', 'chat', 'file', 'git', 'panel'];
const EXAMPLES = {
  ...{ webhook: 'https://auditor.example.com/heads', chat: '', file: '/mnt/auditor/heads.jsonl' },
  ...{ git: '/srv/heads', panel: 'https://other.example.com/path/' },
} as const;

const save = (sink: SinkName, value: string | boolean) =>
  api.post('/panel/setting/update', { body: { [SETTINGS[sink]]: value } as Body });

/** The places of the heads with the state of each, and the forms that change them. */
export function Sinks({ sinks }: { readonly sinks: readonly Sink[] }) {
  const { t } = useTranslation('proof');
  const [edited, setEdited] = useState<SinkName | null>(null);
  const targetOf = (name: SinkName | null): string => sinks.find(({ sink }) => sink === name)?.target ?? '';
  return (
    <Section title={t('sinks')}>
      <ul className={blocks['list']} aria-label={t('sinks')}>
        {NAMES.map((name) => (
          <Row key={name} name={name} state={sinks.find(({ sink }) => sink === name)} onEdit={() => setEdited(name)} />
        ))}
      </ul>
      {edited && <SinkForm name={edited} target={targetOf(edited)} onClose={() => setEdited(null)} />}
    </Section>
  );
}

interface RowProps {
  readonly name: SinkName;
  /** Undefined = heads are not published there. */
  readonly state: Sink | undefined;
  readonly onEdit: () => void;
}

function Row({ name, state, onEdit }: RowProps) {
  const { t } = useTranslation('proof');
  const mayChange = useMay()('/panel/setting/secret');
  const isChat = name === 'chat';
  const off = isChat ? false : '';
  const turning = useAction<string | boolean>({
    stale: STALE,
    run: (value) => save(name, value),
    undo: () => save(name, isChat ? state !== undefined : (state?.target ?? '')),
  });
  const label = (action: string): string => `${action}: ${t(`sink.${name}`)}`;
  return (
    <li className={rows['row']}>
      <div className={rows['main']}>
        <div className={rows['name']}>
          <span>{t(`sink.${name}`)}</span>
          <State state={state} />
        </div>
        <div className={rows['note']}>{state?.target ? <Technical>{state.target}</Technical> : t(`help.${name}`)}</div>
        {state && <Delivered state={state} />}
      </div>
      {mayChange && (
        <Group gap="xs">
          {!isChat && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={label(t(state ? 'change' : 'add'))}
              onClick={onEdit}
            >
              {t(state ? 'change' : 'add')}
            </Button>
          )}
          {isChat && !state && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={label(t('add'))}
              loading={turning.isPending}
              onClick={() => turning.mutate(true)}
            >
              {t('add')}
            </Button>
          )}
          {state && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={label(t('remove'))}
              loading={turning.isPending}
              onClick={() => turning.mutate(off)}
            >
              {t('remove')}
            </Button>
          )}
        </Group>
      )}
    </li>
  );
}

function State({ state }: Pick<RowProps, 'state'>) {
  const { t } = useTranslation('proof');
  if (!state) return <Status tone="quiet">{t('state.off')}</Status>;
  if (state.failingSince > 0) return <Status tone="bad">{t('state.failing')}</Status>;
  return state.waiting > 0 ? (
    <Status tone="warn">{t('state.waiting')}</Status>
  ) : (
    <Status tone="good">{t('state.works')}</Status>
  );
}

/** What a place has accepted, and why it fails. */
function Delivered({ state: { position, at, problem, nextAttemptAt } }: { readonly state: Sink }) {
  const { t } = useTranslation('proof');
  const format = useFormat();
  return (
    <>
      {problem !== '' && (
        <div>
          <bdi>{problem}</bdi>
          {nextAttemptAt > 0 && ` · ${t('nextAttempt', { when: format.relative(nextAttemptAt) })}`}
        </div>
      )}
      {position > 0 && (
        <div className={rows['note']}>{t('has', { position: format.number(position), when: format.relative(at) })}</div>
      )}
    </>
  );
}

interface FormProps {
  readonly name: SinkName;
  readonly target: string;
  readonly onClose: () => void;
}

function SinkForm({ name, target, onClose }: FormProps) {
  const { t } = useTranslation('proof');
  const form = useForm({
    initialValues: { target, token: '' },
    validate: { target: (value) => (value.trim() === '' ? t('form.required') : null) },
  });
  const bodyOf = (values: { readonly target: string; readonly token: string }): Body =>
    ({
      [SETTINGS[name]]: values.target.trim(),
      ...(name === 'panel' && values.token !== '' ? { proofPanelToken: values.token } : {}),
    }) as Body;
  return (
    <DrawerForm<{ target: string; token: string }>
      title={t('form.title', { sink: t(`sink.${name}`) })}
      submit={t('form.save')}
      form={form}
      stale={STALE}
      request={(values) => api.request('/panel/setting/update', { body: bodyOf(values) })}
      undo={() => save(name, target)}
      onClose={onClose}
    >
      <TextInput
        label={t(`target.${name}`)}
        description={t(`help.${name}`)}
        placeholder={EXAMPLES[name]}
        dir="ltr"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('target')}
      />
      {name === 'panel' && (
        <PasswordInput
          label={t('form.token')}
          description={t('form.tokenHelp')}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('token')}
        />
      )}
    </DrawerForm>
  );
}
