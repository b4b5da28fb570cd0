import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ClientRow, Gets } from '../../../api/contract.generated';
import { inboundName } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { clientStatus } from '../list/cells';
import classes from './ClientPage.module.css';

export type Why = Gets['/panel/api/clients/:email/why']['reply'];

/** Whether the client can connect, by which rule, and what would change it. */
export function StateCard({
  query,
  rows,
}: {
  readonly query: UseQueryResult<Why>;
  readonly rows: readonly ClientRow[];
}) {
  const { t } = useTranslation('clients');
  const [row] = rows;
  return (
    <Section
      title={t('state')}
      actions={row && <Status tone={row.online ? 'good' : 'quiet'}>{t(row.online ? 'online' : 'offline')}</Status>}
    >
      <Loaded query={query} rows={2}>
        {(why) => (
          <>
            {why.siblings.length > 0 ? (
              <Place {...why} />
            ) : row && why.mayConnect && row.enabled ? (
              clientStatus(row, t)
            ) : (
              <Status tone={why.mayConnect ? 'good' : 'bad'}>
                {t(why.mayConnect ? 'mayConnect' : 'mayNotConnect')}
              </Status>
            )}
            <Reason {...why} />
            {why.also.map((one) => (
              <Reason key={one.rule} {...one} />
            ))}
            {why.siblings.map((one) => (
              <div key={one.inbound.id}>
                <Place {...one} />
                <p className={classes['sentence']}>{one.rule}</p>
              </div>
            ))}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** In which inbound a client of several can connect. */
function Place({ inbound, mayConnect }: Pick<Why, 'inbound' | 'mayConnect'>) {
  const { t } = useTranslation('clients');
  return (
    <Status tone={mayConnect ? 'good' : 'bad'}>
      <bdi>{inboundName(inbound)}</bdi>: {t(mayConnect ? 'mayConnect' : 'mayNotConnect')}
    </Status>
  );
}

function Reason({ rule, since, remedies }: Pick<Why, 'rule' | 'since' | 'remedies'>) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (
    <>
      {/* The direction of the page: a `bdi` would guess that of a sentence whose parts are all isolated, and guess wrong. */}
      <p className={classes['sentence']}>{rule}</p>
      {since && (
        <Text size="xs" c="dimmed">
          {t('since', { at: format.dateTime(since.at), by: since.by })}
        </Text>
      )}
      {remedies.length > 0 && (
        <ul className={classes['remedies']}>
          {remedies.map((remedy) => (
            <li key={remedy}>{remedy}</li>
          ))}
        </ul>
      )}
    </>
  );
}
