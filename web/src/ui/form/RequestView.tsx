import { Group, Paper, Stack, Switch, Text } from '@mantine/core';
import '@mantine/core/styles/Switch.css';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { curlOf, type FormRequest } from '../../model/curl';
import { CopyButton } from '../display/CopyButton';
import classes from './RequestView.module.css';

/** The request of a form as a curl command. Secrets are masked until the admin asks for them. */
export function RequestView({ id, request }: { readonly id: string; readonly request: FormRequest | null }) {
  const { t } = useTranslation('shell');
  const [hasSecrets, setSecrets] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Some browsers return a promise, which is not a clean-up.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  if (!request)
    return (
      <Text id={id} size="sm" c="dimmed">
        {t('curl.incomplete')}
      </Text>
    );
  const command = curlOf(request, hasSecrets);
  const isMaskable = curlOf(request, true) !== curlOf(request, false);
  return (
    <Paper ref={box} id={id} p="sm" className={classes['box']} component="section" aria-label={t('curl')}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="xs" c="dimmed">
            {t(command.includes('$TOKEN') ? 'curl.token' : 'curl.session')}
          </Text>
          <CopyButton text={command} label={t('curl.copy')} />
        </Group>
        <pre className={classes['command']} dir="ltr" tabIndex={0}>
          {command}
        </pre>
        {isMaskable && (
          <Switch
            size="xs"
            label={t('curl.secrets')}
            checked={hasSecrets}
            onChange={({ currentTarget }) => setSecrets(currentTarget.checked)}
          />
        )}
      </Stack>
    </Paper>
  );
}
