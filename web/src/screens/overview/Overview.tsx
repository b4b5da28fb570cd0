// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Anchor, Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Status as MachineStatus } from '../../api/contract.generated';
import { status as statusQuery } from '../../api/queries';
import { useFilters } from '../../ui/filters';
import { Technical, useFormat } from '../../ui/format';
import { Loaded, Page } from '../../ui/Page';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { Meter, Status } from '../../ui/Status';
import { SetupOffer } from '../setup/SetupOffer';
import { Attention } from './Attention';
import { CHARTS, type ChartName, HistoryChart } from './HistoryChart';
import classes from './Overview.module.css';
import { TopClients, topClients } from './TopClients';

const DEFAULTS = { chart: 'network' } as const;

export function Overview() {
  const { t } = useTranslation('overview');
  const status = useQuery(statusQuery);
  const [{ chart }, setFilters] = useFilters<'chart'>(DEFAULTS);
  return (
    <Page title={t('title')}>
      <SetupOffer />
      <Loaded query={status} rows={4}>
        {(data) => (
          <>
            <Tiles status={data} />
            <div className={classes['columns']}>
              <Paper p="md" className={classes['wide']}>
                <div className={classes['panelHead']}>
                  <Text component="h2" fw={600} size="sm">
                    {t('history')}
                  </Text>
                  <SegmentedControl
                    size="xs"
                    aria-label={t('history')}
                    value={chart}
                    onChange={(value) => setFilters({ chart: value })}
                    data={Object.keys(CHARTS).map((value) => ({ value, label: t(`chart.${value as ChartName}`) }))}
                  />
                </div>
                <HistoryChart name={chart in CHARTS ? (chart as ChartName) : 'network'} status={data} />
              </Paper>
              <Paper p="md">
                <Text component="h2" fw={600} size="sm" mb="sm">
                  {t('attention')}
                </Text>
                <Attention status={data} />
              </Paper>
            </div>
            <div className={classes['columns']}>
              <Paper p="md" className={classes['wide']}>
                <Text component="h2" fw={600} size="sm" mb="sm">
                  {t('top')}
                </Text>
                <TopClients />
              </Paper>
              <Paper p="md">
                <Text component="h2" fw={600} size="sm" mb="sm">
                  {t('clients')}
                </Text>
                <ClientCounts />
              </Paper>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const CORE_TONES = { running: 'good', stop: 'quiet', error: 'bad' } as const;

function Tiles({ status }: { readonly status: MachineStatus }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { core, cpu, cpuCores, load, mem, disk, netIO, netTraffic, appStats, tcpCount, udpCount } = status;
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Paper p="md" className={classes['tile']}>
        <span className={classes['label']}>{t('core')}</span>
        <Status tone={CORE_TONES[core.state]}>{t(`core.${core.state}`)}</Status>
        <span className={classes['note']} title={core.errorMsg}>
          {core.state === 'error' ? core.errorMsg : <Technical>{core.version}</Technical>}
          {core.state === 'running' && ` · ${format.duration(appStats.uptime)}`}
        </span>
      </Paper>
      <Tile
        label={t('cpu')}
        value={format.percent(cpu / 100)}
        share={cpu / 100}
        note={t('cpu.note', { cores: format.number(cpuCores), load: format.number(load.load1, 2) })}
      />
      <Tile
        label={t('memory')}
        value={format.percent(mem.total > 0 ? mem.current / mem.total : 0)}
        share={mem.total > 0 ? mem.current / mem.total : 0}
        note={`${format.bytes(mem.current)} / ${format.bytes(mem.total)}`}
      />
      <Tile
        label={t('disk')}
        value={format.percent(disk.total > 0 ? disk.current / disk.total : 0)}
        share={disk.total > 0 ? disk.current / disk.total : 0}
        note={`${format.bytes(disk.current)} / ${format.bytes(disk.total)}`}
      />
      <Paper p="md" className={classes['tile']}>
        <span className={classes['label']}>{t('network')}</span>
        <span className={classes['value']}>
          <Technical>
            ↑ {format.rate(netIO.up)} <br />↓ {format.rate(netIO.down)}
          </Technical>
        </span>
        <span
          className={classes['note']}
          title={t('network.total', { sent: format.bytes(netTraffic.sent), received: format.bytes(netTraffic.recv) })}
        >
          {t('connections', { tcp: format.number(tcpCount), udp: format.number(udpCount) })}
        </span>
      </Paper>
    </SimpleGrid>
  );
}

function Tile({
  label,
  value,
  share,
  note,
}: {
  readonly label: string;
  readonly value: string;
  readonly share: number;
  readonly note: string;
}) {
  return (
    <Paper p="md" className={classes['tile']}>
      <span className={classes['label']}>{label}</span>
      <span className={classes['value']}>{value}</span>
      <Meter share={share} />
      <span className={classes['note']}>{note}</span>
    </Paper>
  );
}

const COUNTED = ['online', 'active', 'expiring', 'depleted', 'expired', 'disabled'] as const;

function ClientCounts() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const query = useQuery(topClients);
  return (
    <Loaded query={query} rows={4}>
      {({ counts }) => (
        <dl className={classes['counts']}>
          {COUNTED.map((state) => (
            <div key={state}>
              <dt>
                <Anchor component={Link} to={`/clients?state=${state}`} size="sm">
                  {t(`count.${state}`)}
                </Anchor>
              </dt>
              <dd className="number">{format.number(counts[state])}</dd>
            </div>
          ))}
        </dl>
      )}
    </Loaded>
  );
}
