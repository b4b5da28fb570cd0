import { MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { eventTypes, STALE, type Webhook } from './queries';
import type { Secret } from './Secrets';
import { GROUPS } from './WebhookList';

interface Values {
  name: string;
  url: string;
  types: string[];
  start: string;
  after: string;
}

interface Props {
  /** Null = a new one. */
  readonly webhook: Webhook | null;
  readonly onSecret: (secret: Secret) => void;
  readonly onClose: () => void;
}

/** Adds a webhook, whose secret is shown afterwards, or changes one. */
export function WebhookForm({ webhook, onSecret, onClose }: Props) {
  const { t } = useTranslation('webhooks');
  const form = useForm<Values>({
    initialValues: {
      ...{ name: webhook?.name ?? '', url: webhook?.url ?? '', types: [...(webhook?.types ?? [])] },
      ...{ start: 'now', after: '' },
    },
    validate: {
      name: (value) => (value.trim() === '' ? t('form.required') : null),
      url: (value) => (/^https?:\/\/\S+$/.test(value.trim()) ? null : t('form.urlInvalid')),
      after: (value, { start }) => (start === 'after' && !/^\d{1,15}$/.test(value) ? t('form.position') : null),
    },
  });
  const draftOf = ({ name, url, types }: Pick<Values, 'name' | 'url' | 'types'>) => ({
    ...{ name: name.trim(), url: url.trim(), types },
  });
  const fields = (
    <>
      <TextInput
        label={t('form.name')}
        description={t('form.nameHelp')}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('form.url')}
        description={t('form.urlHelp')}
        dir="ltr"
        type="url"
        autoComplete="off"
        {...form.getInputProps('url')}
      />
      <Types value={form.values.types} onChange={(types) => form.setFieldValue('types', types)} />
    </>
  );
  const shared = { form, stale: STALE, onClose };
  if (webhook) {
    const { id, name, url, types } = webhook;
    const params = { id };
    return (
      <DrawerForm<Values>
        {...shared}
        title={t('form.editTitle', { name })}
        submit={t('form.save')}
        request={(values) => api.request('/panel/api/webhooks/update/:id', { params, body: draftOf(values) })}
        undo={() => api.post('/panel/api/webhooks/update/:id', { params, body: { name, url, types } })}
      >
        {fields}
      </DrawerForm>
    );
  }
  const { name } = form.values;
  return (
    <DrawerForm<Values, { readonly id: number; readonly secret: string }>
      {...shared}
      title={t('form.addTitle')}
      submit={t('add')}
      request={(values) => api.request('/panel/api/webhooks/add', { body: { ...draftOf(values), ...startOf(values) } })}
      said={() => t('form.added', { name: name.trim() })}
      onDone={({ obj: { secret } }) => onSecret({ name: name.trim(), secret })}
    >
      {fields}
      <NativeSelect
        label={t('form.start')}
        data={(['now', 'all', 'after'] as const).map((value) => ({ value, label: t(`start.${value}`) }))}
        {...form.getInputProps('start')}
      />
      {form.values.start === 'after' && (
        <TextInput label={t('form.after')} inputMode="numeric" dir="ltr" {...form.getInputProps('after')} />
      )}
    </DrawerForm>
  );
}

function startOf({ start, after }: Values): { readonly after?: number } {
  if (start === 'now') return {};
  return { after: start === 'all' ? 0 : Number(after) };
}

interface TypesProps {
  readonly value: string[];
  readonly onChange: (types: string[]) => void;
}

/** Groups of event types and single types. */
function Types({ value, onChange }: TypesProps) {
  const { t } = useTranslation('webhooks');
  const { data: types = [] } = useQuery({ ...eventTypes, enabled: useMay()('/panel/api/audit/types') });
  return (
    <MultiSelect
      label={t('form.types')}
      description={t('form.typesHelp')}
      placeholder={value.length === 0 ? t('types.all') : ''}
      value={value}
      onChange={onChange}
      searchable
      hidePickedOptions
      limit={200}
      data={[
        { group: t('form.groups'), items: GROUPS.map((group) => ({ value: group, label: t(`group.${group}`) })) },
        { group: t('form.single'), items: types.map(({ type }) => type) },
      ]}
    />
  );
}
