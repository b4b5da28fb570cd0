import { Button, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { randomWord } from '../../model/random';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { type Admin, STALE } from './queries';

/** Another password for an admin, for example after a lost one. */
export function PasswordForm({ admin, onClose }: { readonly admin: Admin; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (value) => (value === '' ? t('form.required') : null) },
  });
  return (
    <DrawerForm
      title={t('passwordTitle', { name: admin.username })}
      submit={t('password')}
      form={form}
      request={(body) => api.request('/panel/api/admins/password/:id', { params: { id: admin.id }, body })}
      stale={STALE}
      onClose={onClose}
    >
      <div>
        <PasswordInput
          label={t('form.password')}
          description={t('form.sessionsEnd')}
          dir="ltr"
          autoComplete="new-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Button
          mt={4}
          size="compact-xs"
          variant="default"
          onClick={() => form.setFieldValue('password', randomWord(16))}
        >
          {t('form.generate')}
        </Button>
      </div>
    </DrawerForm>
  );
}
