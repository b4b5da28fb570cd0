import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, forgetToken } from '../api/client';
import type { Live } from '../live/live';
import { sentenceOf } from '../ui/feedback/toast';
import { sessionRenewed, useSessionEnded } from './session';

/** The login over the screen, which keeps its state. */
export function SessionDialog({ live }: { readonly live: Live }) {
  const { t } = useTranslation('shell');
  const isEnded = useSessionEnded();
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState('');
  useEffect(() => {
    if (isEnded)
      api.post('/getTwoFactorEnable').then(
        ({ obj }) => setNeedsCode(obj),
        () => undefined,
      );
  }, [isEnded]);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? '');
    try {
      forgetToken();
      await api.post('/login', {
        body: { username: text('username'), password: text('password'), twoFactorCode: text('twoFactorCode') },
      });
      forgetToken();
      setError('');
      sessionRenewed();
      live.reconnect();
    } catch (problem) {
      setError(sentenceOf(problem));
    }
  };
  return (
    <Modal
      opened={isEnded}
      onClose={() => undefined}
      withCloseButton={false}
      title={t('session.title')}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={1000}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="sm">
          <Text size="sm">{t('session.body')}</Text>
          <TextInput
            name="username"
            label={t('username')}
            autoComplete="username"
            required
            withAsterisk={false}
            data-autofocus
          />
          <PasswordInput
            name="password"
            label={t('password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            error={error}
          />
          {needsCode && (
            <TextInput name="twoFactorCode" label={t('code')} autoComplete="one-time-code" maxLength={16} dir="ltr" />
          )}
          <Button type="submit">{t('signIn')}</Button>
        </Stack>
      </form>
    </Modal>
  );
}
