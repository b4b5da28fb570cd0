import { Button, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconPlayerStop from '@tabler/icons-react/dist/esm/icons/IconPlayerStop.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Status as MachineStatus } from '../../api/contract.generated';
import { onlines as onlinesQuery, status as statusQuery } from '../../api/queries';
import { useAction } from '../../ui/action';
import { confirmLoss } from '../../ui/confirm';
import { Technical, useFormat } from '../../ui/format';
import { Loaded } from '../../ui/Page';
import { Status } from '../../ui/Status';
import classes from './Core.module.css';
import { versions as versionsQuery } from './queries';

const TONES = { running: 'good', stop: 'quiet', error: 'bad' } as const;
const STALE = [['status'], ['core'], ['onlines']] as const;

/** The core's process and its version. */
export function Control() {
  const query = useQuery(statusQuery);
  return (
    <Loaded query={query} rows={4}>
      {(status) => (
        <div className={classes['columns']}>
          <Process status={status} />
          <Versions current={status.core.version} />
        </div>
      )}
    </Loaded>
  );
}

function Process({ status }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('core');
  const format = useFormat();
  const { core, appStats, tcpCount, udpCount } = status;
  const { data: onlines } = useQuery(onlinesQuery);
  const output = useQuery({
    queryKey: ['core', 'output', core.state],
    queryFn: ({ signal }) => api.get('/panel/core/getCoreResult', { signal }),
  });
  const stopping = useAction({ stale: STALE, run: () => api.post('/panel/api/server/stopCoreService') });
  const starting = useAction({ stale: STALE, run: () => api.post('/panel/api/server/restartCoreService') });
  const isRunning = core.state === 'running';
  const clients = onlines?.size ?? 0;
  const ask = (action: 'stop' | 'restart', run: () => void): void =>
    confirmLoss({ title: t(`${action}.title`), body: t(`${action}.body`, { count: clients }), action: t(action), run });
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Status tone={TONES[core.state]}>{t(`state.${core.state}`)}</Status>
        <Group gap="xs">
          {isRunning ? (
            <>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                loading={starting.isPending}
                onClick={() => ask('restart', () => starting.mutate())}
              >
                {t('restart')}
              </Button>
              <Button
                size="xs"
                variant="light"
                color="red"
                leftSection={<IconPlayerStop size={14} />}
                loading={stopping.isPending}
                onClick={() => ask('stop', () => stopping.mutate())}
              >
                {t('stop')}
              </Button>
            </>
          ) : (
            <Button
              size="xs"
              leftSection={<IconPlayerPlay size={14} />}
              loading={starting.isPending}
              onClick={() => starting.mutate()}
            >
              {t('start')}
            </Button>
          )}
        </Group>
      </div>
      {core.errorMsg !== '' && (
        <Text size="sm" c="var(--bad)" className={classes['wrap']} role="alert">
          {core.errorMsg}
        </Text>
      )}
      <dl className={classes['facts']}>
        <div>
          <dt>{t('version')}</dt>
          <dd>
            <Technical>{core.version || '–'}</Technical>
          </dd>
        </div>
        <div>
          <dt>{t('uptime')}</dt>
          <dd>{isRunning ? format.duration(appStats.uptime) : '–'}</dd>
        </div>
        <div>
          <dt>{t('onlines')}</dt>
          <dd className="number">{format.number(clients)}</dd>
        </div>
        <div>
          <dt>{t('sockets')}</dt>
          <dd className="number">
            TCP {format.number(tcpCount)} · UDP {format.number(udpCount)}
          </dd>
        </div>
      </dl>
      {output.data !== undefined && output.data !== '' && (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            {t('output')}
          </Text>
          <pre className={classes['output']} dir="ltr" tabIndex={0} aria-label={t('output')}>
            {output.data}
          </pre>
        </>
      )}
    </Paper>
  );
}

function Versions({ current }: { readonly current: string }) {
  const { t } = useTranslation('core');
  const query = useQuery(versionsQuery);
  const [chosen, setChosen] = useState('');
  const installing = useAction<string>({
    stale: STALE,
    run: (version) => api.post('/panel/api/server/installCore/:version', { params: { version } }),
  });
  return (
    <Paper p="md" component="section">
      <Text component="h2" fw={600} size="sm" mb="sm">
        {t('versions')}
      </Text>
      <Loaded query={query} rows={2}>
        {(all) => {
          const others = all.filter((version) => version.replace(/^v/, '') !== current.replace(/^v/, ''));
          const version = others.includes(chosen) ? chosen : (others[0] ?? '');
          if (others.length === 0)
            return (
              <Text size="sm" c="dimmed">
                {t('versions.none')}
              </Text>
            );
          return (
            <Stack gap="sm" align="flex-start">
              <NativeSelect
                w="100%"
                label={t('versions.choose')}
                description={t('versions.help')}
                dir="ltr"
                value={version}
                data={others}
                onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              />
              <Button
                size="xs"
                loading={installing.isPending}
                onClick={() =>
                  confirmLoss({
                    title: t('install.title', { version }),
                    body: t('install.body'),
                    action: t('install'),
                    run: () => installing.mutate(version),
                  })
                }
              >
                {t('install')}
              </Button>
            </Stack>
          );
        }}
      </Loaded>
    </Paper>
  );
}
