import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { Technical } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { toastError } from '../../ui/feedback/toast';
import { SwitchOff, SwitchOn, type Token } from './TwoFactorDialogs';

/** Whether a login needs a code of an app as well, and how to change that. */
export function TwoFactor({ isOn }: { readonly isOn: boolean }) {
  const { t } = useTranslation('account');
  const [token, setToken] = useState<Token | null>(null);
  const [isEnding, setEnding] = useState(false);
  // The panel stores nothing until a code confirms the token.
  const propose = useMutation({
    mutationFn: () => api.post('/panel/setting/update', { body: { twoFactorEnable: true } }),
    onSuccess({ obj }) {
      const { twoFactorToken, otpauthUrl } = obj ?? {};
      if (twoFactorToken !== undefined && otpauthUrl !== undefined) setToken({ twoFactorToken, otpauthUrl });
    },
    onError: toastError,
  });
  return (
    <Section
      title={t('twoFactor')}
      actions={<Status tone={isOn ? 'good' : 'quiet'}>{t(isOn ? 'twoFactor.on' : 'twoFactor.off')}</Status>}
    >
      <Text size="sm">{t(isOn ? 'twoFactor.onBody' : 'twoFactor.offBody')}</Text>
      {isOn && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('twoFactor.lost')} <Technical>portolan admin disable-2fa</Technical>
        </Text>
      )}
      <Group justify="flex-end" mt="md">
        {isOn ? (
          <Button variant="default" onClick={() => setEnding(true)}>
            {t('twoFactor.switchOff')}
          </Button>
        ) : (
          <Button loading={propose.isPending} onClick={() => propose.mutate()}>
            {t('twoFactor.setUp')}
          </Button>
        )}
      </Group>
      {token && <SwitchOn token={token} onClose={() => setToken(null)} />}
      {isEnding && <SwitchOff onClose={() => setEnding(false)} />}
    </Section>
  );
}
