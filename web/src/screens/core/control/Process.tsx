import { Button, Group, Paper, Text } from '@mantine/core';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconPlayerStop from '@tabler/icons-react/dist/esm/icons/IconPlayerStop.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import type { Status as MachineStatus } from '../../../api/contract.generated';
import { onlines as onlinesQuery } from '../../../api/queries';
import blocks from '../../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../../ui/display/format';
import { Status } from '../../../ui/display/Status';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';
import classes from '../Core.module.css';
import { STALE_STATE } from '../queries';

const TONES = { running: 'good', stop: 'quiet', error: 'bad' } as const;

/** The process of the core: whether it runs, since when, and what it printed. */
export function Process({ status }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('core');
  const { core } = status;
  const may = useMay();
  const output = useQuery({
    queryKey: ['core', 'output', core.state],
    queryFn: ({ signal }) => api.get('/panel/core/getCoreResult', { signal }),
  });
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Status tone={TONES[core.state]}>{t(`state.${core.state}`)}</Status>
        {may('/panel/api/server/restartCoreService') && <Buttons isRunning={core.state === 'running'} />}
      </div>
      {core.errorMsg !== '' && (
        <Text size="sm" c="var(--bad)" className={classes['wrap']} role="alert">
          {core.errorMsg}
        </Text>
      )}
      <Facts status={status} />
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

/** Start, stop and restart. What ends connections says how many clients it concerns. */
function Buttons({ isRunning }: { readonly isRunning: boolean }) {
  const { t } = useTranslation('core');
  const { data: onlines } = useQuery({ ...onlinesQuery, enabled: useMay()('/panel/api/inbounds/onlines') });
  const stopping = useAction({ stale: STALE_STATE, run: () => api.post('/panel/api/server/stopCoreService') });
  const starting = useAction({
    stale: STALE_STATE,
    run: () => api.post('/panel/api/server/restartCoreService'),
    said: () => t(isRunning ? 'restarted' : 'started'),
  });
  const ask = (action: 'stop' | 'restart', run: () => void): void =>
    confirmLoss({
      title: t(`${action}.title`),
      body: onlines ? t(`${action}.body`, { count: onlines.size }) : t(`${action}.body.unknown`),
      action: t(action),
      run,
    });
  if (!isRunning)
    return (
      <Button
        size="xs"
        leftSection={<IconPlayerPlay size={14} />}
        loading={starting.isPending}
        onClick={() => starting.mutate()}
      >
        {t('start')}
      </Button>
    );
  return (
    <Group gap="xs">
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
    </Group>
  );
}

function Facts({ status: { core, appStats, tcpCount, udpCount } }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('core');
  const format = useFormat();
  const { data: onlines } = useQuery({ ...onlinesQuery, enabled: useMay()('/panel/api/inbounds/onlines') });
  return (
    <dl className={`${blocks['facts']} ${classes['facts']}`}>
      <div>
        <dt>{t('version')}</dt>
        <dd>
          <Technical>{core.version || '–'}</Technical>
        </dd>
      </div>
      <div>
        <dt>{t('uptime')}</dt>
        <dd>{core.state === 'running' ? format.duration(appStats.uptime) : '–'}</dd>
      </div>
      <div>
        <dt>{t('onlines')}</dt>
        <dd className="number">{onlines ? format.number(onlines.size) : '–'}</dd>
      </div>
      <div>
        <dt>{t('sockets')}</dt>
        <dd className="number">
          TCP {format.number(tcpCount)} · UDP {format.number(udpCount)}
        </dd>
      </div>
    </dl>
  );
}
