import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { CopyButton } from '../../ui/display/CopyButton';
import { Dialog } from '../../ui/feedback/Dialog';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { STALE, type Webhook } from './queries';
import classes from './Webhooks.module.css';

export interface Secret {
  readonly name: string;
  readonly secret: string;
}

/** The secret of a webhook, which is not shown again. */
export function SecretDialog({ name, secret, onClose }: Secret & { readonly onClose: () => void }) {
  const { t } = useTranslation('webhooks');
  return (
    <Dialog onClose={onClose} closeOnClickOutside={false} title={t('secret.title', { name })}>
      <Stack gap="md">
        <Text size="sm">{t('secret.body')}</Text>
        <div className={classes['secret']}>
          <code dir="ltr">{secret}</code>
          <CopyButton text={secret} label={t('secret.copy')} />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('secret.done')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
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
