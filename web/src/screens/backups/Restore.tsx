import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useFormat } from '../../ui/display/format';
import { Loaded, Section } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { useCurl } from '../../ui/form/FormFooter';
import classes from './Backups.module.css';
import { CheckProgress } from './CheckProgress';
import { type Check, check as checkQuery, isRunning, type Report, STALE } from './queries';
import { RestoreReport } from './RestoreReport';
import type { Target } from './Switching';
import { UploadForm } from './UploadForm';

/** A file becomes the state of the panel in two steps: a check that changes nothing, and its confirmation. */
export function Restore({ onConfirmed }: { readonly onConfirmed: (target: Target) => void }) {
  const { t } = useTranslation('backups');
  const query = useQuery(checkQuery);
  const section = useRef<HTMLDivElement>(null);
  const phase = query.data?.phase;
  // The check may have been started far above, in the list.
  useEffect(() => {
    if (phase !== 'ready' && phase !== 'refused') return;
    const { top = 0 } = section.current?.getBoundingClientRect() ?? {};
    if (top < 0 || top > window.innerHeight / 2) section.current?.scrollIntoView({ block: 'start' });
  }, [phase]);
  return (
    <div ref={section} className={classes['restore']}>
      <Section title={t('restoreTitle')}>
        <Loaded query={query} rows={3}>
          {(current) =>
            current === null ? (
              <UploadForm />
            ) : isRunning(current) ? (
              <CheckProgress phase={current.phase} done={current.done} total={current.total} />
            ) : (
              <Result check={current} onConfirmed={onConfirmed} />
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

function Result({
  check: { id, name, why, whyCode, report },
  onConfirmed,
}: {
  readonly check: Check;
  readonly onConfirmed: (target: Target) => void;
}) {
  const { t } = useTranslation(['backups', 'shell']);
  const body = { id };
  const discard = useAction({
    stale: STALE,
    run: () => api.post('/panel/api/server/restore/discard', { body }),
    said: () => '',
  });
  if (report === null)
    return (
      <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={t('refused')} role="alert">
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{why}</Text>
          <Text size="sm">{t('refused.nothing')}</Text>
          {name !== null && whyCode?.startsWith('backup.passphrase') && <Passphrase name={name} />}
          <Button size="xs" variant="default" loading={discard.isPending} onClick={() => discard.mutate()}>
            {t('another')}
          </Button>
        </Stack>
      </Alert>
    );
  return (
    <Stack gap="md">
      <RestoreReport report={report} />
      <Group justify="flex-end">
        <Button variant="default" loading={discard.isPending} onClick={() => discard.mutate()}>
          {t('cancel', { ns: 'shell' })}
        </Button>
        <Confirm id={id} report={report} onConfirmed={onConfirmed} />
      </Group>
    </Stack>
  );
}

/** A kept backup was sealed with a passphrase that is no longer in the settings. */
function Passphrase({ name }: { readonly name: string }) {
  const { t } = useTranslation('backups');
  const [passphrase, setPassphrase] = useState('');
  const request = () => api.request('/panel/api/server/backups/check', { body: { name, passphrase } });
  const checking = useAction({ stale: STALE, run: () => request().send() });
  const curl = useCurl(request);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        checking.mutate();
      }}
    >
      <Group align="end" gap="xs">
        <PasswordInput
          label={t('upload.passphrase')}
          autoComplete="off"
          dir="auto"
          required
          withAsterisk={false}
          value={passphrase}
          onChange={({ currentTarget }) => setPassphrase(currentTarget.value)}
        />
        <Button type="submit" loading={checking.isPending}>
          {t('again')}
        </Button>
        {curl.button}
      </Group>
      {curl.view}
    </form>
  );
}

interface ConfirmProps {
  readonly id: string;
  readonly report: Report;
  readonly onConfirmed: (target: Target) => void;
}

function Confirm({ id, report, onConfirmed }: ConfirmProps) {
  const { t } = useTranslation('backups');
  const format = useFormat();
  const { basePath, before } = report;
  const restore = useAction({
    stale: [],
    said: () => '',
    async run() {
      // The identity of the log changes with the state: this is how the page sees that the new one is there.
      const { generation } = await api.get('/panel/api/events', { query: { limit: 1 } });
      const done = await api.post('/panel/api/server/restore', { body: { id } });
      onConfirmed({ generation, basePath, at: Date.now() });
      return done;
    },
  });
  const ask = (): void =>
    confirmLoss({
      title: t('confirm.title'),
      body: t('confirm.body', { inbounds: format.number(before.inbounds), clients: format.number(before.clients) }),
      action: t('confirm'),
      run: () => restore.mutate(),
    });
  return (
    <Button color="red.9" loading={restore.isPending} onClick={ask}>
      {t('confirm')}
    </Button>
  );
}
