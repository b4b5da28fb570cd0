import { Button, Group, Text, TextInput } from '@mantine/core';
import IconDice from '@tabler/icons-react/dist/esm/icons/IconDice5.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, urlOf } from '../../api/client';
import type { SettingSources } from '../../api/contract.generated';
import { randomWord } from '../../model/random';
import { Loaded } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { Certificate } from '../settings/Certificate';
import { sources as sourcesQuery } from '../settings/queries';
import { RestartBanner } from '../settings/Restart';
import classes from './Setup.module.css';
import { StepForm } from './StepForm';

const PATH = '/panel/setting/update';
const PATH_CHARS = 12;

function useSources(content: (sources: SettingSources) => ReactNode): ReactNode {
  const query = useQuery(sourcesQuery);
  return (
    <Loaded query={query} rows={2}>
      {content}
    </Loaded>
  );
}

/** Saves settings, and knows why the panel refused which of them. */
function useSaving(body: Readonly<Record<string, string>>) {
  const [error, setError] = useState<unknown>(null);
  const saving = useAction({ run: () => api.post(PATH, { body }), stale: [['settings']], silent: true });
  const fields = error instanceof ApiError ? error.fields : {};
  const isAtField = Object.keys(fields).some((key) => key in body);
  return {
    fields,
    form: {
      isBusy: saving.isPending,
      refusal: error === null || isAtField ? '' : sentenceOf(error),
      request: () => ({ url: urlOf(PATH), body }),
      onSubmit: () => saving.mutate(undefined, { onSuccess: () => setError(null), onError: setError }),
    },
  };
}

export function PathStep() {
  return useSources(({ settings: { webBasePath } }) => (
    <PathForm path={String(webBasePath.value)} variable={webBasePath.variable} />
  ));
}

const proposal = (): string => `/${randomWord(PATH_CHARS)}/`;

function PathForm({ path, variable }: { readonly path: string; readonly variable: string | null }) {
  const { t } = useTranslation(['setup', 'settings']);
  const [proposed] = useState(() => (path === '/' ? proposal() : path));
  const [webBasePath, setPath] = useState(proposed);
  const { fields, form } = useSaving({ webBasePath });
  if (variable !== null)
    return <Text size="sm">{t('locked.environment', { ns: 'settings', name: `\u2068${variable}\u2069` })}</Text>;
  return (
    <StepForm
      {...form}
      submit={t('basePath.submit')}
      isDirty={webBasePath !== proposed && webBasePath !== path}
      isDisabled={webBasePath === path}
    >
      <Group align="end" gap="xs" wrap="nowrap">
        <TextInput
          className={classes['grow']}
          label={t('webBasePath', { ns: 'settings' })}
          description={t('basePath.help')}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          value={webBasePath}
          error={fields['webBasePath']}
          onChange={({ currentTarget }) => setPath(currentTarget.value)}
        />
        <Button variant="default" leftSection={<IconDice size={16} aria-hidden />} onClick={() => setPath(proposal())}>
          {t('basePath.another')}
        </Button>
      </Group>
    </StepForm>
  );
}

export function CertificateStep() {
  return useSources(({ settings: { webCertFile, webKeyFile, webDomain } }) => (
    <CertificateForm
      certFile={String(webCertFile.value)}
      keyFile={String(webKeyFile.value)}
      host={String(webDomain.value) || window.location.hostname}
    />
  ));
}

function CertificateForm({ host, ...saved }: Readonly<Record<'certFile' | 'keyFile' | 'host', string>>) {
  const { t } = useTranslation(['setup', 'settings']);
  const [webCertFile, setCertFile] = useState(saved.certFile);
  const [webKeyFile, setKeyFile] = useState(saved.keyFile);
  const { fields, form } = useSaving({ webCertFile, webKeyFile });
  const file = { dir: 'ltr', spellCheck: false, autoComplete: 'off' } as const;
  return (
    <StepForm
      {...form}
      submit={t('certificate.submit')}
      isDirty={webCertFile !== saved.certFile || webKeyFile !== saved.keyFile}
      isDisabled={webCertFile === saved.certFile && webKeyFile === saved.keyFile}
    >
      <Text size="sm">{t('certificate.help')}</Text>
      <TextInput
        {...file}
        label={t('webCertFile', { ns: 'settings' })}
        placeholder="/etc/letsencrypt/live/example.com/fullchain.pem"
        value={webCertFile}
        error={fields['webCertFile']}
        onChange={({ currentTarget }) => setCertFile(currentTarget.value)}
      />
      <TextInput
        {...file}
        label={t('webKeyFile', { ns: 'settings' })}
        placeholder="/etc/letsencrypt/live/example.com/privkey.pem"
        value={webKeyFile}
        error={fields['webKeyFile']}
        onChange={({ currentTarget }) => setKeyFile(currentTarget.value)}
      />
      <Certificate certFile={webCertFile} keyFile={webKeyFile} host={host} />
    </StepForm>
  );
}

/** The restart that the steps need, when one does. */
export function PendingRestart() {
  const { data } = useQuery(sourcesQuery);
  return data ? <RestartBanner sources={data} /> : null;
}
