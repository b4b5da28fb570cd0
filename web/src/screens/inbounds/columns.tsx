import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Inbound } from '../../api/contract.generated';
import type { Column } from '../../ui/DataTable';
import { Technical, useFormat } from '../../ui/format';
import { Meter } from '../../ui/Status';
import { Toggle } from '../../ui/Toggle';
import classes from './Inbounds.module.css';

interface Parts {
  readonly toggle: (inbound: Inbound, enabled: boolean) => void;
  readonly menuButton: (inbound: Inbound) => ReactNode;
}

interface Stream {
  readonly network?: string;
  readonly security?: string;
}
const streamOf = ({ streamSettings }: Inbound): Stream =>
  streamSettings === '' ? {} : (JSON.parse(streamSettings) as Stream);

/** The columns of the list, and the card that an inbound is on a phone. */
export function useColumns({ toggle, menuButton }: Parts) {
  const { t } = useTranslation('inbounds');
  const format = useFormat();
  const name = (inbound: Inbound) => (
    <Anchor component={Link} to={`/inbounds/${inbound.id}`} size="sm" fw={500} className="clip" title={inbound.remark}>
      <bdi>{inbound.remark || `#${inbound.id}`}</bdi>
    </Anchor>
  );
  const kind = (inbound: Inbound) => {
    const { network, security = 'none' } = streamOf(inbound);
    const parts = [inbound.protocol, network, security === 'none' ? undefined : security].filter(
      (part) => part !== undefined,
    );
    return (
      <span className={classes['tags']} dir="ltr">
        {[...new Set(parts)].map((part) => (
          <span key={part} className={classes['tag']}>
            {part}
          </span>
        ))}
      </span>
    );
  };
  const usage = ({ up, down, total }: Inbound) => (
    <span className={classes['usage']}>
      <span className="number">
        <bdi>{format.bytes(up + down)}</bdi>
        {total > 0 && (
          <span className={classes['of']}>
            {' / '}
            <bdi>{format.bytes(total)}</bdi>
          </span>
        )}
      </span>
      {total > 0 && <Meter share={(up + down) / total} />}
    </span>
  );
  const enabled = (inbound: Inbound) => (
    <Toggle
      label={t('enabled', { name: inbound.remark || `#${inbound.id}` })}
      checked={inbound.enable}
      onChange={(on) => toggle(inbound, on)}
    />
  );
  const place = ({ listen, port }: Inbound) => <Technical>{listen === '' ? port : `${listen}:${port}`}</Technical>;
  const columns: readonly Column<Inbound>[] = [
    {
      id: 'remark',
      header: t('column.remark'),
      cell: name,
      value: ({ remark }) => remark,
      width: 'minmax(12rem, 2fr)',
    },
    {
      id: 'kind',
      header: t('column.kind'),
      cell: kind,
      value: ({ protocol }) => protocol,
      width: 'minmax(13rem, 1.5fr)',
    },
    { id: 'port', header: t('column.port'), cell: place, value: ({ port }) => port, width: 'minmax(6rem, 1fr)' },
    {
      id: 'clients',
      header: t('column.clients'),
      cell: ({ clientStats }) => format.number(clientStats.length),
      value: ({ clientStats }) => clientStats.length,
      width: '6rem',
      isNumber: true,
    },
    {
      id: 'used',
      header: t('column.used'),
      cell: usage,
      value: ({ up, down }) => up + down,
      width: 'minmax(10rem, 1fr)',
      isNumber: true,
    },
    { id: 'enabled', header: t('column.enabled'), cell: enabled, width: '5.5rem' },
    { id: 'actions', header: '', cell: menuButton, width: '3.5rem' },
  ];
  const card = (inbound: Inbound) => (
    <div className={classes['card']}>
      <div className={classes['line']}>
        {name(inbound)}
        <span className={classes['line']}>
          {enabled(inbound)}
          {menuButton(inbound)}
        </span>
      </div>
      <div className={classes['line']}>
        {kind(inbound)}
        {place(inbound)}
      </div>
      <div className={classes['line']}>
        <span className={classes['of']}>{t('clientCount', { count: inbound.clientStats.length })}</span>
        <span className="number">{format.bytes(inbound.up + inbound.down)}</span>
      </div>
    </div>
  );
  return { columns, card };
}
