import { Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { CopyButton } from '../../ui/display/CopyButton';
import { Qr } from '../../ui/display/Qr';
import { useAction } from '../../ui/feedback/action';
import { Dialog } from '../../ui/feedback/Dialog';
import { sentenceOf } from '../../ui/feedback/toast';
import { useCurl } from '../../ui/form/FormFooter';
import classes from './Account.module.css';
import { STALE } from './queries';

/** What an app needs to make codes. */
export interface Token {
  readonly twoFactorToken: string;
  readonly otpauthUrl: string;
}

interface Props {
  readonly title: string;
  readonly action: string;
  readonly isLoss?: boolean;
  readonly onClose: () => void;
  readonly change: Posts['/panel/setting/update']['body'];
  readonly children: ReactNode;
}

/** Asks for a code of the app, and sends the change with it. A wrong code leaves the dialog open. */
function CodeDialog({ title, action, isLoss = false, onClose, change, children }: Props) {
  const { t } = useTranslation(['account', 'shell']);
  const [code, setCode] = useState('');
  const [refusal, setRefusal] = useState('');
  const send = useAction<string>({
    // Settings as well: the switch is one of them.
    stale: [...STALE, ['settings']],
    silent: true,
    run: (twoFactorCode) => api.post('/panel/setting/update', { body: { ...change, twoFactorCode } }),
  });
  const twoFactorCode = code.replaceAll(/\s/g, '');
  const curl = useCurl(() =>
    twoFactorCode === '' ? null : api.request('/panel/setting/update', { body: { ...change, twoFactorCode } }),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefusal('');
    send.mutate(twoFactorCode, {
      onSuccess: onClose,
      onError(error) {
        setCode('');
        const isWrong = error instanceof ApiError && 'twoFactorCode' in error.fields;
        setRefusal(isWrong ? t('code.wrong') : sentenceOf(error));
      },
    });
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          <TextInput
            label={t('code')}
            description={t('code.help')}
            error={refusal}
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={16}
            dir="ltr"
            required
            withAsterisk={false}
            data-autofocus
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
          {curl.view}
          <Group justify="flex-end">
            <Box me="auto">{curl.button}</Box>
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button type="submit" {...(isLoss ? { color: 'red' } : {})} loading={send.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Shows the token as a QR code and as text, until a code proves that an app has it. */
export function SwitchOn({
  token: { twoFactorToken, otpauthUrl },
  onClose,
}: {
  readonly token: Token;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('account');
  return (
    <CodeDialog
      title={t('setUp.title')}
      action={t('setUp.confirm')}
      onClose={onClose}
      change={{ twoFactorEnable: true, twoFactorToken }}
    >
      <Text size="sm">{t('setUp.body')}</Text>
      <Qr text={otpauthUrl} label={t('setUp.qr')} className={classes['qr']} />
      <div>
        <Text size="xs" c="dimmed">
          {t('setUp.key')}
        </Text>
        <div className={classes['key']}>
          <code dir="ltr">{twoFactorToken}</code>
          <CopyButton text={twoFactorToken} label={t('setUp.copyKey')} />
        </div>
      </div>
    </CodeDialog>
  );
}

export function SwitchOff({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('account');
  return (
    <CodeDialog
      title={t('switchOff.title')}
      action={t('twoFactor.switchOff')}
      isLoss
      onClose={onClose}
      change={{ twoFactorEnable: false }}
    >
      <Text size="sm">{t('switchOff.body')}</Text>
    </CodeDialog>
  );
}
