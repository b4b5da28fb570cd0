import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { inbounds as inboundsQuery } from '../../api/queries';
import { clientRows } from '../../model/clients';
import { useFormat } from '../../ui/format';
import { Loaded } from '../../ui/Page';
import { Meter } from '../../ui/Status';
import classes from './Overview.module.css';

const SHOWN = 10;

/** The clients that used most since their counters were last reset. */
export function TopClients() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const query = useQuery(inboundsQuery);
  const top = useMemo(
    () =>
      clientRows(query.data ?? [])
        .filter(({ used }) => used > 0)
        .toSorted((one, other) => other.used - one.used)
        .slice(0, SHOWN),
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
            {top.map(({ key, email, used }) => (
              <li key={key}>
                <Anchor component={Link} to={`/clients?search=${encodeURIComponent(email)}`} size="sm" className="clip">
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
