import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { Technical } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { toastError } from '../../ui/feedback/toast';
import { factors } from './queries';
import { RecoveryCodes } from './RecoveryCodes';
import { NewCodes, SwitchOff, SwitchOffForAll, SwitchOn, type Token } from './TwoFactorDialogs';

type Open = 'switchOff' | 'newCodes' | null;

/** Whether a login to this account needs a code of an app as well, and how to change that. */
export function TwoFactor() {
  const { t } = useTranslation('account');
  const { data } = useQuery(factors);
  const [token, setToken] = useState<Token | null>(null);
  const [open, setOpen] = useState<Open>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  // The panel stores nothing until a code confirms the token.
  const propose = useMutation({
    mutationFn: () => api.post('/panel/setting/twoFactor/propose'),
    onSuccess: ({ obj }) => setToken(obj),
    onError: toastError,
  });
  const isOn = data?.twoFactor ?? false;
  return (
    <Section
      title={t('twoFactor')}
      actions={<Status tone={isOn ? 'good' : 'quiet'}>{t(isOn ? 'twoFactor.on' : 'twoFactor.off')}</Status>}
    >
      <Text size="sm">{t(isOn ? 'twoFactor.onBody' : 'twoFactor.offBody')}</Text>
      {isOn && (
        <Text size="sm" mt="xs">
          {t('codes.left', { count: data?.recoveryCodes ?? 0 })}
        </Text>
      )}
      <Group justify="flex-end" mt="md">
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setOpen('newCodes')}>
              {t('codes.renew')}
            </Button>
            <Button variant="default" onClick={() => setOpen('switchOff')}>
              {t('twoFactor.switchOff')}
            </Button>
          </>
        ) : (
          <Button loading={propose.isPending} onClick={() => propose.mutate()}>
            {t('twoFactor.setUp')}
          </Button>
        )}
      </Group>
      {token && <SwitchOn token={token} onCodes={setCodes} onClose={() => setToken(null)} />}
      {open === 'switchOff' && <SwitchOff onClose={() => setOpen(null)} />}
      {open === 'newCodes' && <NewCodes onCodes={setCodes} onClose={() => setOpen(null)} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </Section>
  );
}

/** The two-factor login that all admins share, as in 3x-ui. It is shown only while it is on. */
export function SharedTwoFactor() {
  const { t } = useTranslation('account');
  const [isEnding, setEnding] = useState(false);
  return (
    <Section title={t('shared')} actions={<Status tone="good">{t('twoFactor.on')}</Status>}>
      <Text size="sm">{t('shared.body')}</Text>
      <Text size="xs" c="dimmed" mt="xs">
        {t('twoFactor.lost')} <Technical>portolan admin disable-2fa</Technical>
      </Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => setEnding(true)}>
          {t('twoFactor.switchOff')}
        </Button>
      </Group>
      {isEnding && <SwitchOffForAll onClose={() => setEnding(false)} />}
    </Section>
  );
}
