import { Modal, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { addTexts } from '../i18n/i18n';
import type { Live } from '../live/live';
import { LoginForm } from '../login/LoginForm';
import { toastError } from '../ui/feedback/toast';
import { sessionRenewed, useSessionEnded } from './session';

/** Nothing of the screen is visible behind the login: another person may sit there by now. */
const OPAQUE = { backgroundOpacity: 1, color: 'var(--page)' };

/** The login over the screen, which keeps its state. */
export function SessionDialog({ live }: { readonly live: Live }) {
  const { t } = useTranslation('shell');
  const isEnded = useSessionEnded();
  useEffect(() => {
    // Before they are needed: a panel that is being updated may have other files then.
    addTexts('login', async (language) => (await import(`../login/texts/${language}.json`)).default).catch(toastError);
  }, []);
  return (
    <Modal
      opened={isEnded}
      onClose={() => undefined}
      withCloseButton={false}
      title={t('session.title')}
      closeOnEscape={false}
      closeOnClickOutside={false}
      overlayProps={OPAQUE}
      zIndex={1000}
    >
      <Stack gap="sm">
        <Text size="sm">{t('session.body')}</Text>
        <LoginForm
          onDone={() => {
            sessionRenewed();
            live.reconnect();
          }}
        />
      </Stack>
    </Modal>
  );
}
