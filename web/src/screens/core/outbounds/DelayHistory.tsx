import '../form-styles';

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { Chart } from '../../../ui/display/Chart';
import { useFormat } from '../../../ui/display/format';
import { Loaded } from '../../../ui/display/Page';
import { SidePanel } from '../../../ui/feedback/SidePanel';

/** Seconds between two points. */
const BUCKET = '30';

/** Six hours of the delay of an outbound, as the observatory of the core measures it. */
export function DelayHistory({ tag, onClose }: { readonly tag: string; readonly onClose: () => void }) {
  const { t } = useTranslation(['core', 'shell']);
  const format = useFormat();
  const query = useQuery({
    queryKey: ['history', 'observatory', tag],
    queryFn: ({ signal }) =>
      api.get('/panel/api/server/coreObservatoryHistory/:tag/:bucket', { params: { tag, bucket: BUCKET }, signal }),
    refetchInterval: Number(BUCKET) * 1000,
  });
  const label = t('observed.history', { tag });
  return (
    <SidePanel onClose={onClose} size="lg" title={label}>
      <Loaded query={query} rows={4}>
        {(points) =>
          points.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('observed.none')}
            </Text>
          ) : (
            <Chart
              label={label}
              times={points.map(({ t: time }) => time)}
              series={[{ label: t('observed.delay'), values: points.map(({ v }) => v) }]}
              text={(value) => t('ms', { value: format.number(value) })}
              height={260}
            />
          )
        }
      </Loaded>
      <Text size="xs" c="dimmed" mt="sm">
        {t('observed.help')}
      </Text>
    </SidePanel>
  );
}
