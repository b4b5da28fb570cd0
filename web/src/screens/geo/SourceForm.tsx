import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { Technical } from '../../ui/display/format';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { SegmentedControl } from '../../ui/form/SegmentedControl';
import { type Source, STALE } from './queries';

interface Values {
  type: 'geoip' | 'geosite';
  alias: string;
  url: string;
}

interface Props {
  /** Null = a new one. */
  readonly source: Source | null;
  readonly onClose: () => void;
}

/** Adds a source, or changes one. The panel downloads and checks the file before it stores anything. */
export function SourceForm({ source, onClose }: Props) {
  const { t } = useTranslation(['geo', 'shell']);
  const form = useForm<Values>({
    initialValues: { type: source?.type ?? 'geosite', alias: source?.alias ?? '', url: source?.url ?? '' },
    validate: {
      alias: (value) => (value.trim() === '' ? t('form.required') : null),
      url: (value) => (/^https?:\/\/./i.test(value.trim()) ? null : t('form.urlWrong')),
    },
  });
  const requestOf = (body: Values) =>
    source
      ? api.request('/panel/api/custom-geo/update/:id', { params: { id: source.id }, body })
      : api.request('/panel/api/custom-geo/add', { body });
  const alias = form.values.alias.trim().toLowerCase().replaceAll(/\s+/g, '_');
  return (
    <DrawerForm
      title={source ? t('editTitle', { name: source.fileName }) : t('add')}
      submit={source ? t('save', { ns: 'shell' }) : t('add')}
      form={form}
      request={requestOf}
      stale={STALE}
      onClose={onClose}
    >
      <div>
        <Text size="sm" fw={600} mb={4} id="geo-type">
          {t('form.type')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-labelledby="geo-type"
          data={[
            { value: 'geosite', label: t('form.geosite') },
            { value: 'geoip', label: t('form.geoip') },
          ]}
          {...form.getInputProps('type')}
        />
      </div>
      <TextInput
        label={t('form.alias')}
        description={t('form.aliasHelp')}
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('alias')}
      />
      <TextInput
        label={t('form.url')}
        description={t('form.urlHelp')}
        dir="ltr"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps('url')}
      />
      {alias !== '' && (
        <Text size="sm" c="dimmed">
          {t('form.rule')} <Technical>{`ext:${form.values.type}_${alias}.dat:tag`}</Technical>
        </Text>
      )}
    </DrawerForm>
  );
}
