import { NativeSelect, Paper, Stack, Text, Title, useDirection } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconLanguage from '@tabler/icons-react/dist/esm/icons/IconLanguage.mjs';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { changeLanguage, currentLanguage, directionOf, type Language, languageNames, languages } from '../i18n/i18n';
import { Logo } from '../theme/Logo';
import classes from './Login.module.css';
import { LoginForm } from './LoginForm';

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
          {/* The same address with a session is the panel; the fragment selects the screen. */}
          <LoginForm onDone={() => location.reload()} />
        </Stack>
      </Paper>
      <LanguageChoice language={i18n.language as Language} label={t('language')} />
    </main>
  );
}

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
