import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { clientPage } from '../../api/queries';
import { useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import classes from './Overview.module.css';

/** The counts of all clients; of the rows, none is needed. */
const counted = clientPage({ limit: 1 });
const COUNTED = ['online', 'active', 'expiring', 'depleted', 'expired', 'disabled'] as const;

/** How many clients there are in each state, with the way to them. */
export function ClientCounts() {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const query = useQuery(counted);
  return (
    <Loaded query={query} rows={4}>
      {({ counts }) => (
        <dl className={classes['counts']}>
          {COUNTED.map((state) => (
            <div key={state}>
              <dt>
                <Anchor
                  component={Link}
                  to={state === 'online' ? '/clients?online=yes' : `/clients?state=${state}`}
                  size="sm"
                >
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
