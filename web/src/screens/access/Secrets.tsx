import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { SecretDialog } from '../../ui/feedback/SecretDialog';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type AccessToken, STALE } from './queries';

export interface Secret {
  readonly name: string;
  readonly secret: string;
}
export type Created = Posts['/panel/api/tokens/add']['reply'];

/** The secret of a token. The panel stores only its hash, so it is never shown again. */
export function TokenSecret({ name, secret, onClose }: Secret & { readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const texts = {
    ...{ title: t('secret.title', { name }), body: t('secret.body') },
    ...{ copy: t('secret.copy'), done: t('secret.done') },
  };
  return (
    <SecretDialog secret={secret} texts={texts} onClose={onClose}>
      <Text size="xs" c="dimmed">
        {t('secret.use')} <code dir="ltr">Authorization: Bearer …</code>
      </Text>
    </SecretDialog>
  );
}

/** For how long the previous secret is accepted too, in hours. */
const OVERLAPS = ['0', '1', '24', '168'] as const;

interface RotateProps {
  readonly token: AccessToken;
  readonly onSecret: (secret: Secret) => void;
  readonly onClose: () => void;
}

/** Another secret for a token, with time for programs to change over. */
export function RotateToken({ token: { id, name }, onSecret, onClose }: RotateProps) {
  const { t } = useTranslation('access');
  const form = useForm({ initialValues: { overlapHours: '24' } });
  return (
    <DrawerForm<{ overlapHours: string }, Created>
      title={t('rotate.title', { name })}
      submit={t('rotate')}
      form={form}
      request={({ overlapHours }) =>
        api.request('/panel/api/tokens/rotate/:id', { params: { id }, body: { overlapHours: Number(overlapHours) } })
      }
      stale={STALE}
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
