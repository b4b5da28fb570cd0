import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Meter } from '../../ui/display/Status';
import classes from './Overview.module.css';
import { topToday } from './queries';

/** The ten clients with the most traffic since midnight. */
export function TopClients() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const query = useQuery(topToday);
  return (
    <Loaded query={query} rows={5}>
      {({ clients: top }) => {
        if (top.length === 0)
          return (
            <Text size="sm" c="dimmed">
              {t('top.none')}
            </Text>
          );
        const most = top[0]?.bytes ?? 1;
        return (
          <ol className={classes['top']}>
            {top.map(({ email, bytes }) => (
              <li key={email}>
                <Anchor component={Link} to={`/clients/${encodeURIComponent(email)}`} size="sm" className="clip">
                  <bdi>{email}</bdi>
                </Anchor>
                <Meter share={bytes / most} isPlain />
                <span className="number">{format.bytes(bytes)}</span>
              </li>
            ))}
          </ol>
        );
      }}
    </Loaded>
  );
}
