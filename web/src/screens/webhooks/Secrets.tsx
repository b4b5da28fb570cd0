import { NativeSelect } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { SecretDialog } from '../../ui/feedback/SecretDialog';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { STALE, type Webhook } from './queries';

export interface Secret {
  readonly name: string;
  readonly secret: string;
}

/** The secret of a webhook, which is not shown again. */
export function WebhookSecret({ name, secret, onClose }: Secret & { readonly onClose: () => void }) {
  const { t } = useTranslation('webhooks');
  const texts = {
    ...{ title: t('secret.title', { name }), body: t('secret.body') },
    ...{ copy: t('secret.copy'), done: t('secret.done') },
  };
  return <SecretDialog secret={secret} texts={texts} onClose={onClose} />;
}

/** For how long deliveries are signed with the previous secret too, in hours. */
const OVERLAPS = ['0', '1', '24', '168'] as const;

interface RotateProps {
  readonly webhook: Webhook;
  readonly onSecret: (secret: Secret) => void;
  readonly onClose: () => void;
}

/** Another secret for a webhook, with time to change the receiver. */
export function RotateForm({ webhook: { id, name }, onSecret, onClose }: RotateProps) {
  const { t } = useTranslation('webhooks');
  const form = useForm({ initialValues: { overlapHours: '24' } });
  return (
    <DrawerForm<{ overlapHours: string }, { readonly secret: string; readonly previousUntil: number }>
      title={t('rotate.title', { name })}
      submit={t('rotate.submit')}
      form={form}
      stale={STALE}
      request={({ overlapHours }) =>
        api.request('/panel/api/webhooks/rotateSecret/:id', {
          params: { id },
          body: { overlapHours: Number(overlapHours) },
        })
      }
      said={() => t('rotate.done', { name })}
      onDone={({ obj: { secret } }) => onSecret({ name, secret })}
      onClose={onClose}
    >
      <NativeSelect
        label={t('rotate.overlap')}
        description={t('rotate.help')}
        data={OVERLAPS.map((value) => ({ value, label: t(`overlap.${value}`) }))}
        {...form.getInputProps('overlapHours')}
      />
    </DrawerForm>
  );
}
