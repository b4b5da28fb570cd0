import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Node } from '../../api/contract.generated';
import { Chart } from '../../ui/display/Chart';
import { useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import classes from './Nodes.module.css';

const METRICS = [
  { metric: 'cpu', label: 'fact.cpu', unit: 'percent' },
  { metric: 'mem', label: 'fact.memory', unit: 'percent' },
  { metric: 'latency', label: 'column.latency', unit: 'ms' },
  { metric: 'lag', label: 'column.lag', unit: 'number' },
] as const;
/** Seconds between two points. */
const BUCKET = '30';
const HEIGHT = 180;

/** Six hours of the node's load, its latency and the changes that wait for it. */
export function NodeCharts({ node: { id, kind } }: { readonly node: Pick<Node, 'id' | 'kind'> }) {
  // Before its first answer the panel counts no changes for a node, which does not mean that none wait.
  return METRICS.map((shown) => <NodeChart key={shown.metric} id={id} isKnown={kind !== ''} {...shown} />);
}

type ChartProps = { readonly id: number; readonly isKnown: boolean } & (typeof METRICS)[number];

function NodeChart({ id, isKnown, metric, label: name, unit }: ChartProps) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const query = useQuery({
    queryKey: ['history', 'node', id, metric],
    queryFn: ({ signal }) =>
      api.get('/panel/api/nodes/history/:id/:metric/:bucket', { params: { id, metric, bucket: BUCKET }, signal }),
    refetchInterval: Number(BUCKET) * 1000,
  });
  const label = t(name);
  const text = (value: number): string => {
    if (unit === 'percent') return format.percent(value / 100);
    return unit === 'ms' ? t('ms', { value: format.number(value) }) : format.number(value, 1);
  };
  return (
    <Paper p="md" component="section" className={classes['panel']}>
      <Text component="h2" fw={600} size="sm" mb="sm">
        {t('history', { metric: label })}
      </Text>
      <Loaded query={query} rows={4}>
        {(points) =>
          !isKnown || points.length < 2 ? (
            <Text size="sm" c="dimmed">
              {t('history.none')}
            </Text>
          ) : (
            <Chart
              label={t('history', { metric: label })}
              times={points.map(({ t: time }) => time)}
              series={[{ label, values: points.map(({ v }) => v) }]}
              text={text}
              most={unit === 'percent' ? 100 : undefined}
              height={HEIGHT}
            />
          )
        }
      </Loaded>
    </Paper>
  );
}
