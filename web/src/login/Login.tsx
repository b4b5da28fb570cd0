import {
  Alert,
  Button,
  NativeSelect,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
  useDirection,
} from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconLanguage from '@tabler/icons-react/dist/esm/icons/IconLanguage.mjs';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api } from '../api/client';
import { askForPasskey, hasPasskeys } from '../api/passkeys';
import { changeLanguage, currentLanguage, directionOf, type Language, languageNames, languages } from '../i18n/i18n';
import { Logo } from '../theme/Logo';
import classes from './Login.module.css';
import { countFailure, type Lockout } from './lockout';

/** Failed attempts after which the form explains the lockout. */
const ATTEMPTS_BEFORE_HINT = 2;

export function Login() {
  const { t, i18n } = useTranslation('login');
  useEffect(() => {
    document.title = t('title');
  }, [t]);
  return (
    <main className={classes['page']}>
      <Paper className={classes['card']} p="xl" shadow="sm">
        <Stack gap="lg">
          <div className={classes['brand']}>
            <Logo size={36} />
            <div>
              <Title order={1} size="h2">
                {t('title')}
              </Title>
              <Text size="sm" c="dimmed">
                {t('subtitle')}
              </Text>
            </div>
          </div>
          <LoginForm />
        </Stack>
      </Paper>
      <LanguageChoice language={i18n.language as Language} label={t('language')} />
    </main>
  );
}

/** One attempt to log in after another: what is wrong, how often, and whether a second factor is needed. */
function useLogin(cancelled: string) {
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState('');
  const [lockout, setLockout] = useState<Lockout>({ failures: 0, until: null });
  const [isBusy, setBusy] = useState(false);
  const code = useRef<HTMLInputElement>(null);
  useEffect(() => {
    askForCode().then(setNeedsCode, (problem: unknown) => setError(sentence(problem)));
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? '');
    setBusy(true);
    setError('');
    try {
      await api.post('/login', {
        body: {
          username: text('username'),
          password: text('password'),
          twoFactorCode: text('twoFactorCode').replaceAll(/\s/g, ''),
        },
      });
      // The same address with a session is the panel; the fragment selects the screen.
      location.reload();
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
  const signInWithPasskey = async (): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      const { obj: options } = await api.post('/passkey/options');
      const response = await askForPasskey(options);
      await api.post('/passkey/login', { body: { response } });
      location.reload();
    } catch (problem) {
      setBusy(false);
      setError(problem instanceof ApiError ? problem.message : cancelled);
    }
  };
  return { needsCode, error, lockout, isBusy, code, submit, signInWithPasskey };
}

function LoginForm() {
  const { t } = useTranslation('login');
  const { needsCode, error, lockout, isBusy, code, submit, signInWithPasskey } = useLogin(t('passkeyCancelled'));
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
        {t('signIn')}
      </Button>
      {offersPasskey && (
        <Button variant="default" disabled={isBusy} fullWidth onClick={() => void signInWithPasskey()}>
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

/** Why the login was refused; after repeated failures also the lockout, and the way out. */
function Refusal({ error, lockout }: { readonly error: string; readonly lockout: Lockout }) {
  const { t, i18n } = useTranslation('login');
  const time = (at: number): string =>
    new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit' }).format(at);
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Text size="sm">{error}</Text>
      {lockout.until !== null && (
        <Text size="sm" fw={600} mt={4}>
          {t('lockedUntil', { time: time(lockout.until) })}
        </Text>
      )}
      {lockout.failures >= ATTEMPTS_BEFORE_HINT && (
        <>
          <Text size="sm" c="dimmed" mt={4}>
            {t(lockout.until === null ? 'locked' : 'lockedHelp')}
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

function LanguageChoice({ language, label }: { readonly language: Language; readonly label: string }) {
  const { setDirection } = useDirection();
  return (
    <NativeSelect
      aria-label={label}
      variant="unstyled"
      leftSection={<IconLanguage size={18} aria-hidden />}
      rightSection={<IconChevronDown size={16} aria-hidden />}
      className={classes['language']}
      value={languages.includes(language) ? language : currentLanguage()}
      data={languages.map((value) => ({ value, label: languageNames[value] }))}
      onChange={({ target }) => {
        const next = target.value as Language;
        setDirection(directionOf(next));
        void changeLanguage(next);
      }}
    />
  );
}
