import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Gets, Status } from '../../api/contract.generated';
import { together } from '../../model/loadable';
import { Chart } from '../../ui/display/Chart';
import { type Format, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { joined, type LivePoint, LONGEST_S } from './joined';

/** Seconds between two points, of the history and of what comes in. */
const BUCKET = '2';

type Metric = Gets['/panel/api/server/history/:metric/:bucket']['params']['metric'];

interface Definition {
  readonly metrics: readonly Metric[];
  readonly text: (value: number, format: Format) => string;
  /** Highest value of the axis; without it, that of the data. */
  readonly most?: number;
}

const percent = { text: (value: number, format: Format) => format.percent(value / 100), most: 100 };
export const CHARTS = {
  network: { metrics: ['netDown', 'netUp'], text: (value, format) => format.rate(value) },
  cpu: { metrics: ['cpu'], ...percent },
  memory: { metrics: ['mem'], ...percent },
} as const satisfies Record<string, Definition>;
export type ChartName = keyof typeof CHARTS;

/** The metrics of a pushed status, as the history has them. */
const pointOf = ({ netIO, cpu, mem }: Status): LivePoint => ({
  at: Date.now() / 1000,
  values: { netDown: netIO.down, netUp: netIO.up, cpu, mem: (mem.current / Math.max(1, mem.total)) * 100 },
});

/** Six hours of a metric at two seconds, and what comes in while one looks. */
export function HistoryChart({ name, status }: { readonly name: ChartName; readonly status: Status }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const definition: Definition = CHARTS[name];
  const { metrics } = definition;
  const query = useHistories(metrics);
  const [points, setPoints] = useState<readonly LivePoint[]>([]);
  useEffect(() => {
    const point = pointOf(status);
    setPoints((before) => [...before.filter(({ at }) => point.at - at < LONGEST_S), point]);
  }, [status]);
  const { times, values } = useMemo(() => joined(metrics, query.data ?? [], points), [metrics, query.data, points]);

  return (
    <Loaded query={query} rows={5}>
      {() => (
        <Chart
          label={t(`chart.${name}`)}
          times={times}
          series={metrics.map((metric, index) => ({
            label: t(`metric.${metric as 'cpu'}`),
            values: values[index] ?? [],
          }))}
          text={(value) => definition.text(value, format)}
          most={definition.most}
        />
      )}
    </Loaded>
  );
}

function useHistories(metrics: readonly Metric[]) {
  return useQueries({
    queries: metrics.map((metric) => ({
      queryKey: ['history', metric, BUCKET],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        api.get('/panel/api/server/history/:metric/:bucket', { params: { metric, bucket: BUCKET }, signal }),
      staleTime: 60_000,
    })),
    combine: together,
  });
}
