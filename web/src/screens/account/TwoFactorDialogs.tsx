import { Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, type Done } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import type { FormRequest } from '../../model/curl';
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

interface Props<R> {
  readonly title: string;
  readonly action: string;
  readonly isLoss?: boolean;
  /** Whether a recovery code is accepted as well. */
  readonly takesRecovery?: boolean;
  readonly onClose: () => void;
  readonly onDone?: (answer: R) => void;
  readonly send: (twoFactorCode: string) => Promise<Done<R>>;
  readonly request: (twoFactorCode: string) => FormRequest;
  readonly children: ReactNode;
}

/** Asks for a code of the app, and sends the change with it. A wrong code leaves the dialog open. */
function CodeDialog<R>(props: Props<R>) {
  const { title, action, isLoss = false, takesRecovery = false, onClose, onDone, children } = props;
  const { t } = useTranslation(['account', 'shell']);
  const [code, setCode] = useState('');
  const [refusal, setRefusal] = useState('');
  // Settings as well: the two-factor login of the panel is one of them.
  const send = useAction<string, R>({ stale: [...STALE, ['settings']], silent: true, run: props.send });
  const twoFactorCode = code.replaceAll(/\s/g, '');
  const curl = useCurl(() => (twoFactorCode === '' ? null : props.request(twoFactorCode)));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefusal('');
    send.mutate(twoFactorCode, {
      onSuccess({ obj }) {
        onClose();
        onDone?.(obj);
      },
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
            description={t(takesRecovery ? 'code.orRecovery' : 'code.help')}
            error={refusal}
            autoComplete="one-time-code"
            inputMode={takesRecovery ? 'text' : 'numeric'}
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

type Codes = Posts['/panel/setting/twoFactor/enable']['reply'];

interface WithCodes {
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Shows the token as a QR code and as text, until a code proves that an app has it. */
export function SwitchOn({
  token: { twoFactorToken, otpauthUrl },
  onCodes,
  onClose,
}: { readonly token: Token } & WithCodes) {
  const { t } = useTranslation('account');
  const path = '/panel/setting/twoFactor/enable';
  return (
    <CodeDialog
      title={t('setUp.title')}
      action={t('setUp.confirm')}
      onClose={onClose}
      onDone={({ recoveryCodes }: Codes) => onCodes(recoveryCodes)}
      send={(twoFactorCode) => api.post(path, { body: { twoFactorToken, twoFactorCode } })}
      request={(twoFactorCode) => api.request(path, { body: { twoFactorToken, twoFactorCode } })}
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
  const path = '/panel/setting/twoFactor/disable';
  return (
    <CodeDialog
      title={t('switchOff.title')}
      action={t('twoFactor.switchOff')}
      isLoss
      takesRecovery
      onClose={onClose}
      send={(twoFactorCode) => api.post(path, { body: { twoFactorCode } })}
      request={(twoFactorCode) => api.request(path, { body: { twoFactorCode } })}
    >
      <Text size="sm">{t('switchOff.body')}</Text>
    </CodeDialog>
  );
}

/** Asks for a code, and gets other recovery codes. */
export function NewCodes({ onCodes, onClose }: WithCodes) {
  const { t } = useTranslation('account');
  const path = '/panel/setting/twoFactor/recoveryCodes';
  return (
    <CodeDialog
      title={t('codes.renew')}
      action={t('codes.renew')}
      takesRecovery
      onClose={onClose}
      onDone={({ recoveryCodes }: Codes) => onCodes(recoveryCodes)}
      send={(twoFactorCode) => api.post(path, { body: { twoFactorCode } })}
      request={(twoFactorCode) => api.request(path, { body: { twoFactorCode } })}
    >
      <Text size="sm">{t('codes.renewBody')}</Text>
    </CodeDialog>
  );
}

/** Switches off the two-factor login of the panel. */
export function SwitchOffForAll({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('account');
  const path = '/panel/setting/update';
  return (
    <CodeDialog
      title={t('shared.switchOff')}
      action={t('twoFactor.switchOff')}
      isLoss
      onClose={onClose}
      send={(twoFactorCode) => api.post(path, { body: { twoFactorEnable: false, twoFactorCode } })}
      request={(twoFactorCode) => api.request(path, { body: { twoFactorEnable: false, twoFactorCode } })}
    >
      <Text size="sm">{t('shared.switchOffBody')}</Text>
    </CodeDialog>
  );
}
