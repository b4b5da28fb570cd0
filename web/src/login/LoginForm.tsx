import { Alert, Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, forgetToken } from '../api/client';
import { askForPasskey, hasPasskeys } from '../api/passkeys';
import classes from './Login.module.css';
import { countFailure, countSuccess, type Lockout } from './lockout';

/** Failed attempts after which the form explains the lockout. */
const ATTEMPTS_BEFORE_HINT = 2;
const NO_FAILURES: Lockout = { failures: 0, lock: null };

/** One attempt to log in after another: what is wrong, how often, and whether a second factor is needed. */
function useLogin({ cancelled, onDone }: { readonly cancelled: string; readonly onDone: () => void }) {
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState('');
  const [lockout, setLockout] = useState<Lockout>(NO_FAILURES);
  const [isBusy, setBusy] = useState(false);
  const code = useRef<HTMLInputElement>(null);
  useEffect(() => {
    askForCode().then(setNeedsCode, (problem: unknown) => setError(sentence(problem)));
  }, []);
  const done = (): void => {
    // The CSRF token of the former session.
    forgetToken();
    setBusy(false);
    setLockout(NO_FAILURES);
    onDone();
  };
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? '');
    setBusy(true);
    setError('');
    forgetToken();
    try {
      await api.post('/login', {
        body: {
          username: text('username'),
          password: text('password'),
          twoFactorCode: text('twoFactorCode').replaceAll(/\s/g, ''),
        },
      });
      countSuccess(text('username'));
      done();
    } catch (problem) {
      setBusy(false);
      setError(sentence(problem));
      if (problem instanceof ApiError && problem.code === 'LOGIN_WRONG')
        setLockout(countFailure(text('username'), Date.now()));
      const isNeeded = await askForCode().catch(() => needsCode);
      setNeedsCode(isNeeded);
      if (isNeeded && !needsCode) code.current?.focus();
    }
  };
  const logInWithPasskey = async (): Promise<void> => {
    setBusy(true);
    setError('');
    forgetToken();
    try {
      const { obj: options } = await api.post('/passkey/options');
      const response = await askForPasskey(options);
      await api.post('/passkey/login', { body: { response } });
      done();
    } catch (problem) {
      setBusy(false);
      setError(problem instanceof ApiError ? problem.message : cancelled);
    }
  };
  return { needsCode, error, lockout, isBusy, code, submit, logInWithPasskey };
}

/**
 * User name, password and second factor, or a passkey. `onDone` is called with a session: for the login, and for a session
 * that ended while a screen is open.
 */
export function LoginForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation('login');
  const login = useLogin({ cancelled: t('passkeyCancelled'), onDone });
  const { needsCode, error, lockout, isBusy, code, submit, logInWithPasskey } = login;
  const offersPasskey = usePasskeyOffer();
  return (
    <form onSubmit={(event) => void submit(event)} className={classes['form']}>
      <TextInput
        name="username"
        label={t('username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
        required
        withAsterisk={false}
        autoFocus
        data-autofocus
      />
      <PasswordInput
        name="password"
        label={t('password')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        dir="auto"
      />
      {needsCode && (
        <TextInput
          ref={code}
          name="twoFactorCode"
          label={t('code')}
          description={t('codeHelp')}
          autoComplete="one-time-code"
          maxLength={16}
          dir="ltr"
        />
      )}
      {error !== '' && <Refusal error={error} lockout={lockout} />}
      <Button type="submit" loading={isBusy} fullWidth mt="xs">
        {t('logIn')}
      </Button>
      {offersPasskey && (
        <Button variant="default" disabled={isBusy} fullWidth onClick={() => void logInWithPasskey()}>
          {t('passkey')}
        </Button>
      )}
    </form>
  );
}

/** Whether this browser can use passkeys here, and any admin has one. */
function usePasskeyOffer(): boolean {
  const [isOffered, setOffered] = useState(false);
  useEffect(() => {
    if (!hasPasskeys()) return;
    api.get('/passkey/used').then(setOffered, () => setOffered(false));
  }, []);
  return isOffered;
}

/** Why the login was refused; after repeated failures also which limit applies until when, and the way out. */
function Refusal({ error, lockout: { failures, lock } }: { readonly error: string; readonly lockout: Lockout }) {
  const { t, i18n } = useTranslation('login');
  const time = (at: number): string =>
    new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit' }).format(at);
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Text size="sm">{error}</Text>
      {lock && (
        <Text size="sm" fw={600} mt={4}>
          {t('lockedUntil', { time: time(lock.until) })}
        </Text>
      )}
      {failures >= ATTEMPTS_BEFORE_HINT && (
        <>
          <Text size="sm" c="dimmed" mt={4}>
            {lock ? t(`lockedHelp.${lock.limit}`) : t('locked')}
          </Text>
          <Text size="sm" c="dimmed" mt={4}>
            {t('forgotten')}
          </Text>
        </>
      )}
    </Alert>
  );
}

async function askForCode(): Promise<boolean> {
  return (await api.post('/getTwoFactorEnable')).obj;
}

const sentence = (problem: unknown): string => (problem instanceof ApiError ? problem.message : String(problem));
