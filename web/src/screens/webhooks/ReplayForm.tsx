import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useFormat } from '../../ui/display/format';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { STALE, type Webhook } from './queries';

interface Props {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Continues the deliveries after another position. */
export function ReplayForm({ webhook: { id, name, status }, onClose }: Props) {
  const { t } = useTranslation('webhooks');
  const format = useFormat();
  const params = { id };
  const form = useForm({
    initialValues: { after: '' },
    validate: { after: (value) => (/^\d{1,15}$/.test(value) ? null : t('form.position')) },
  });
  return (
    <DrawerForm<{ after: string }>
      title={t('replay.title', { name })}
      submit={t('replay.submit')}
      form={form}
      stale={STALE}
      request={({ after }) => api.request('/panel/api/webhooks/replay/:id', { params, body: { after: Number(after) } })}
      undo={() => api.post('/panel/api/webhooks/replay/:id', { params, body: { after: status.position } })}
      onClose={onClose}
    >
      <TextInput
        label={t('form.after')}
        description={t('replay.help', { position: format.number(status.position) })}
        inputMode="numeric"
        dir="ltr"
        data-autofocus
        {...form.getInputProps('after')}
      />
    </DrawerForm>
  );
}
