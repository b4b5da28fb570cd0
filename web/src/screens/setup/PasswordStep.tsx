import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, urlOf } from '../../api/client';
import { Loaded } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { account } from '../account/queries';
import { StepForm } from './StepForm';

const PATH = '/panel/setting/updateUser';

export function PasswordStep() {
  const query = useQuery(account);
  return (
    <Loaded query={query} rows={3}>
      {({ username }) => <Form key={username} username={username} />}
    </Loaded>
  );
}

function Form({ username }: { readonly username: string }) {
  const { t } = useTranslation('setup');
  const [refusal, setRefusal] = useState('');
  const form = useForm({
    initialValues: { username, oldPassword: '', newPassword: '', repeated: '' },
    validate: {
      repeated: (value, { newPassword }) => (value === newPassword ? null : t('password.differs')),
    },
  });
  const { oldPassword, newPassword } = form.values;
  const body = { oldUsername: username, oldPassword, newUsername: form.values.username, newPassword };
  const change = useAction({ run: () => api.post(PATH, { body }), stale: [['settings'], ['users']], silent: true });
  const submit = (): void => {
    if (form.validate().hasErrors) return;
    setRefusal('');
    change.mutate(undefined, { onSuccess: form.reset, onError: (error) => setRefusal(sentenceOf(error)) });
  };
  return (
    <StepForm
      submit={t('password.submit')}
      isBusy={change.isPending}
      isDirty={form.isDirty()}
      isDisabled={oldPassword === '' || newPassword === ''}
      refusal={refusal}
      request={() => ({ url: urlOf(PATH), body })}
      onSubmit={submit}
    >
      <TextInput
        label={t('password.name')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
        {...form.getInputProps('username')}
      />
      <PasswordInput
        label={t('password.old')}
        description={t('password.oldHelp')}
        autoComplete="current-password"
        {...form.getInputProps('oldPassword')}
      />
      <PasswordInput
        label={t('password.new')}
        description={t('password.newHelp')}
        autoComplete="new-password"
        {...form.getInputProps('newPassword')}
      />
      <PasswordInput label={t('password.repeat')} autoComplete="new-password" {...form.getInputProps('repeated')} />
    </StepForm>
  );
}
