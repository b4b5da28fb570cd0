import { Skeleton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Gets, Status } from '../../api/contract.generated';
import { Chart, type Series } from '../../ui/Chart';
import { type Format, useFormat } from '../../ui/format';
import { Problem } from '../../ui/Page';

/** Seconds between two points of the history that is fetched; live points come every two seconds. */
const BUCKET = '30' as const;

type Metric = Gets['/panel/api/server/history/:metric/:bucket']['params']['metric'];

interface Definition {
  readonly metrics: readonly Metric[];
  readonly live: (status: Status) => readonly number[];
  readonly text: (value: number, format: Format) => string;
  /** Highest value of the axis; without it, that of the data. */
  readonly most?: number;
}

export const CHARTS = {
  network: {
    metrics: ['netDown', 'netUp'],
    live: ({ netIO }) => [netIO.down, netIO.up],
    text: (value, format) => format.rate(value),
  },
  cpu: { metrics: ['cpu'], live: ({ cpu }) => [cpu], text: (value, format) => format.percent(value / 100), most: 100 },
  memory: {
    metrics: ['mem'],
    live: ({ mem }) => [(mem.current / Math.max(1, mem.total)) * 100],
    text: (value, format) => format.percent(value / 100),
    most: 100,
  },
} as const satisfies Record<string, Definition>;
export type ChartName = keyof typeof CHARTS;

/** Six hours of a metric, and what comes in while one looks. */
export function HistoryChart({ name, status }: { readonly name: ChartName; readonly status: Status }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const definition: Definition = CHARTS[name];
  const queries = useQueries({
    queries: definition.metrics.map((metric) => ({
      queryKey: ['history', metric, BUCKET],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        api.get('/panel/api/server/history/:metric/:bucket', { params: { metric, bucket: BUCKET }, signal }),
      staleTime: 60_000,
    })),
  });
  const [points, setPoints] = useState<readonly LivePoint[]>([]);
  useEffect(() => setPoints((before) => [...before, { at: Date.now() / 1000, status }].slice(-MOST_LIVE)), [status]);

  const failed = queries.find(({ error }) => error);
  if (failed) return <Problem error={failed.error} retry={() => void failed.refetch()} />;
  if (queries.some(({ data }) => data === undefined)) return <Skeleton height={220} />;
  const histories = queries.map(({ data = [] }) => data);
  const first = histories[0] ?? [];
  const end = first.at(-1)?.t ?? 0;
  const fresh = points.filter(({ at }) => at > end);
  const series: Series[] = definition.metrics.map((metric, index) => ({
    label: t(`metric.${metric as 'cpu'}`),
    values: [
      ...(histories[index] ?? []).map(({ v }) => v),
      ...fresh.map((point) => definition.live(point.status)[index] ?? 0),
    ],
  }));
  return (
    <Chart
      label={t(`chart.${name}`)}
      times={[...first.map(({ t: time }) => time), ...fresh.map(({ at }) => at)]}
      series={series}
      text={(value) => definition.text(value, format)}
      most={definition.most}
    />
  );
}

interface LivePoint {
  readonly at: number;
  readonly status: Status;
}
const MOST_LIVE = 900;
