import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { Section } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { useUnsaved } from '../../ui/feedback/leave';
import { sentenceOf } from '../../ui/feedback/toast';
import { useCurl } from '../../ui/form/FormFooter';
import { STALE } from './queries';

interface Values {
  username: string;
  oldPassword: string;
  newPassword: string;
  repeated: string;
}

/** Changes the name and the password. Both need the current password, and end all other sessions. */
export function Credentials({ username }: { readonly username: string }) {
  const { t } = useTranslation(['account', 'shell']);
  const [refusal, setRefusal] = useState('');
  const form = useForm<Values>({
    initialValues: { username, oldPassword: '', newPassword: '', repeated: '' },
    validate: {
      username: (value) => (value === '' ? t('credentials.nameMissing') : null),
      oldPassword: (value) => (value === '' ? t('credentials.oldMissing') : null),
      repeated: (value, { newPassword }) => (value === newPassword ? null : t('credentials.differs')),
    },
  });
  const requestOf = ({ username: newUsername, oldPassword, newPassword }: Values) =>
    api.request('/panel/setting/updateUser', {
      // The panel stores both together; an unchanged password is sent again.
      body: { oldUsername: username, oldPassword, newUsername, newPassword: newPassword || oldPassword },
    });
  const change = useAction<Values>({ stale: STALE, silent: true, run: (values) => requestOf(values).send() });
  const { oldPassword, newPassword, repeated } = form.values;
  const isTyped = form.values.username !== username || `${oldPassword}${newPassword}${repeated}` !== '';
  useUnsaved(isTyped && !change.isPending, '/account');
  const curl = useCurl(() => requestOf(form.values));
  const submit = form.onSubmit((values) => {
    setRefusal('');
    change.mutate(values, {
      onSuccess: () => form.setValues({ oldPassword: '', newPassword: '', repeated: '' }),
      onError: (error) => setRefusal(sentenceOf(error)),
    });
  });
  const isChanged = form.values.username !== username || form.values.newPassword !== '';
  return (
    <Section title={t('credentials')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('credentials.name')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            dir="auto"
            {...form.getInputProps('username')}
          />
          <PasswordInput
            label={t('credentials.old')}
            autoComplete="current-password"
            dir="auto"
            {...form.getInputProps('oldPassword')}
          />
          <PasswordInput
            label={t('credentials.new')}
            description={t('credentials.newHelp')}
            autoComplete="new-password"
            dir="auto"
            {...form.getInputProps('newPassword')}
          />
          <PasswordInput
            label={t('credentials.repeat')}
            autoComplete="new-password"
            dir="auto"
            {...form.getInputProps('repeated')}
          />
          {refusal !== '' && (
            <Text size="sm" c="var(--bad)" role="alert">
              {refusal}
            </Text>
          )}
          <Group justify="space-between" gap="sm">
            <Text size="xs" c="dimmed">
              {t('credentials.effect')}
            </Text>
            <Group gap="sm" ms="auto">
              {curl.button}
              <Button type="submit" disabled={!isChanged} loading={change.isPending}>
                {t('save', { ns: 'shell' })}
              </Button>
            </Group>
          </Group>
          {curl.view}
        </Stack>
      </form>
    </Section>
  );
}
