import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { clientPage } from '../../api/queries';
import { usedBytes } from '../../model/clients';
import { useFormat } from '../../ui/format';
import { Loaded } from '../../ui/Page';
import { Meter } from '../../ui/Status';
import classes from './Overview.module.css';

/** The ten clients that used most, and the counts of all. */
export const topClients = clientPage({ sort: 'used', order: 'desc', limit: 10 });

/** The clients that used most since their counters were last reset. */
export function TopClients() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const query = useQuery(topClients);
  const top = useMemo(
    () => (query.data?.clients ?? []).map((row) => ({ ...row, used: usedBytes(row) })).filter(({ used }) => used > 0),
    [query.data],
  );
  const most = top[0]?.used ?? 1;
  return (
    <Loaded query={query} rows={5}>
      {() =>
        top.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('top.none')}
          </Text>
        ) : (
          <ol className={classes['top']}>
            {top.map(({ id, email, used }) => (
              <li key={id}>
                <Anchor component={Link} to={`/clients/${encodeURIComponent(email)}`} size="sm" className="clip">
                  <bdi>{email}</bdi>
                </Anchor>
                <Meter share={used / most} isPlain />
                <span className="number">{format.bytes(used)}</span>
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}
