// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { status as statusQuery } from '../../api/queries';
import { Loaded, Page } from '../../ui/display/Page';
import { SegmentedControl } from '../../ui/form/SegmentedControl';
import { useFilters } from '../../ui/table/filters';
import { SetupOffer } from '../setup/SetupOffer';
import { Attention } from './Attention';
import { ClientCounts } from './ClientCounts';
import { CHARTS, type ChartName, HistoryChart } from './HistoryChart';
import classes from './Overview.module.css';
import { Tiles } from './Tiles';
import { TopClients } from './TopClients';

const DEFAULTS = { chart: 'network' } as const;

export function Overview() {
  const { t } = useTranslation('overview');
  const status = useQuery(statusQuery);
  const may = useMay();
  const [{ chart }, setFilters] = useFilters<'chart'>(DEFAULTS);
  return (
    <Page title={t('title')}>
      {may('/panel/setting/update') && <SetupOffer />}
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
              <Paper p="md" component="section">
                <Text component="h2" fw={600} size="sm" mb="sm">
                  {t('attention')}
                </Text>
                <Attention status={data} />
              </Paper>
            </div>
            {may('/panel/api/clients/page') && <Clients />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Clients() {
  const { t } = useTranslation('overview');
  return (
    <div className={classes['columns']}>
      <Paper p="md" className={classes['wide']}>
        <Text component="h2" fw={600} size="sm" mb="sm">
          {t('top')}
        </Text>
        <TopClients />
      </Paper>
      <Paper p="md" component="section">
        <Text component="h2" fw={600} size="sm" mb="sm">
          {t('clients')}
        </Text>
        <ClientCounts />
      </Paper>
    </div>
  );
}
