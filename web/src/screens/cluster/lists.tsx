import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ClusterState } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import rows from '../../ui/display/Rows.module.css';
import { Status } from '../../ui/display/Status';

interface Props {
  readonly state: ClusterState;
}

/** The NATS servers with a copy of the log, and how many of them changes need. */
export function Servers({ state: { servers, needed, quorum } }: Props) {
  const { t } = useTranslation('cluster');
  const format = useFormat();
  const current = servers.filter(({ isCurrent }) => isCurrent).length;
  if (servers.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('servers.none')}
      </Text>
    );
  return (
    <>
      <Text size="sm" mb="xs" c={quorum ? 'dimmed' : 'var(--bad)'}>
        {t('servers.quorum', { n: current, all: format.number(servers.length), needed: format.number(needed) })}
      </Text>
      <ul className={blocks['list']} aria-label={t('servers')}>
        {servers.map(({ name, isLeader, isCurrent, lag }) => (
          <li key={name} className={rows['row']}>
            <div className={rows['main']}>
              <div className={rows['name']}>
                <bdi>{name}</bdi>
                <Status tone={isCurrent ? 'good' : 'bad'}>
                  {isCurrent ? t('server.current') : t('server.behind', { count: lag, n: lag })}
                </Status>
                {isLeader && <span className={rows['note']}>{t('server.leads')}</span>}
              </div>
            </div>
          </li>
        ))}
      </ul>
      {servers.length === 1 && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('servers.one')}
        </Text>
      )}
    </>
  );
}

/** Why the leader last changed, the last rebuild, and the files with events that were set aside. */
export function Past({ state: { failover, rebuilt, setAside } }: Props) {
  const { t } = useTranslation('cluster');
  const format = useFormat();
  return (
    <ul className={blocks['list']} aria-label={t('past')}>
      <li>
        <div>
          {failover === null
            ? t('failover.none')
            : t(`failover.${failover.reason || 'unknown'}`, { member: failover.member, former: failover.former })}
        </div>
        {failover && <div className={rows['note']}>{format.dateTime(failover.at)}</div>}
      </li>
      {rebuilt && (
        <li>
          <div>{t('rebuilt', { member: rebuilt.member })}</div>
          <div className={rows['note']}>{format.dateTime(rebuilt.at)}</div>
        </li>
      )}
      {setAside.map(({ at, member, fromPosition, toPosition, file }) => (
        <li key={file}>
          <div>
            {t('setAside', {
              ...{ member, count: toPosition - fromPosition + 1 },
              ...{ from: format.number(fromPosition), to: format.number(toPosition) },
            })}
          </div>
          <div className={rows['note']}>
            <Technical>backups/{file}</Technical> · {format.dateTime(at)}
          </div>
        </li>
      ))}
      {setAside.length > 0 && <li className={rows['note']}>{t('setAside.help')}</li>}
    </ul>
  );
}
