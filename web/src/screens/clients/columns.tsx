import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRow, ClientState } from '../../model/clients';
import type { Column } from '../../ui/DataTable';
import { type Format, useFormat } from '../../ui/format';
import { Meter, Status, type Tone } from '../../ui/Status';
import { Toggle } from '../../ui/Toggle';
import classes from './Clients.module.css';

const TONES: Readonly<Record<ClientState, Tone>> = {
  active: 'good',
  expiring: 'warn',
  high: 'warn',
  depleted: 'bad',
  expired: 'bad',
  disabled: 'quiet',
};

interface Parts {
  readonly online: ReadonlySet<string>;
  readonly toggle: (row: ClientRow, enabled: boolean) => void;
  readonly menuButton: (row: ClientRow) => ReactNode;
}

/** The columns of the table, and the card that a row is on a phone. */
export function useColumns({ online, toggle, menuButton }: Parts) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const state = useCallback(
    (row: ClientRow) => <Status tone={TONES[row.state]}>{t(`state.${row.state}`)}</Status>,
    [t],
  );
  const usage = useCallback(
    (row: ClientRow) => <Usage row={row} format={format} unlimited={t('unlimited')} />,
    [format, t],
  );
  const expiry = useCallback(
    (row: ClientRow) => expiryText(row, format, t('never'), (days) => t('afterFirstUse', { count: days })),
    [format, t],
  );
  const enabled = useCallback(
    (row: ClientRow) => (
      <Toggle
        label={t('enabled', { email: row.email })}
        checked={row.wire.enable !== false}
        onChange={(on) => toggle(row, on)}
      />
    ),
    [t, toggle],
  );
  const name = useCallback(
    (row: ClientRow) => (
      <span className={classes['name']}>
        <span
          className={classes['dot']}
          data-online={online.has(row.email) || undefined}
          title={online.has(row.email) ? t('state.online') : undefined}
        />
        <bdi className="clip" title={row.email}>
          {row.email}
        </bdi>
        {online.has(row.email) && <span className={classes['hidden']}>{t('state.online')}</span>}
      </span>
    ),
    [online, t],
  );

  const columns = useMemo(
    (): readonly Column<ClientRow>[] => [
      {
        id: 'email',
        header: t('column.email'),
        cell: name,
        value: ({ email }) => email,
        width: 'minmax(12rem, 2fr)',
        isFixed: true,
      },
      {
        id: 'inbound',
        header: t('column.inbound'),
        cell: ({ inbound }) => <bdi title={inbound.remark}>{inbound.remark || `#${inbound.id}`}</bdi>,
        value: ({ inbound }) => inbound.remark,
        width: 'minmax(8rem, 1.2fr)',
      },
      { id: 'state', header: t('column.state'), cell: state, value: (row) => row.state, width: 'minmax(8rem, 1fr)' },
      {
        id: 'used',
        header: t('column.used'),
        cell: usage,
        value: ({ used }) => used,
        width: 'minmax(11rem, 1.4fr)',
        isNumber: true,
      },
      {
        id: 'expiry',
        header: t('column.expiry'),
        cell: expiry,
        value: ({ stats }) => (stats.expiryTime === 0 ? Number.MAX_SAFE_INTEGER : stats.expiryTime),
        width: 'minmax(8rem, 1fr)',
      },
      {
        id: 'seen',
        header: t('column.seen'),
        cell: ({ stats }) => (stats.lastOnline === 0 ? '–' : format.relative(stats.lastOnline)),
        value: ({ stats }) => stats.lastOnline,
        width: 'minmax(8rem, 1fr)',
      },
      {
        id: 'comment',
        header: t('column.comment'),
        cell: ({ wire }) => <bdi title={wire.comment}>{wire.comment}</bdi>,
        value: ({ wire }) => wire.comment ?? '',
        width: 'minmax(8rem, 1fr)',
      },
      { id: 'enabled', header: t('column.enabled'), cell: enabled, width: '5.5rem', isFixed: true },
      { id: 'actions', header: '', cell: menuButton, width: '3.5rem', isFixed: true },
    ],
    [t, name, state, usage, expiry, enabled, menuButton, format],
  );
  const card = useCallback(
    (row: ClientRow) => (
      <div className={classes['cardBody']}>
        <div className={classes['cardLine']}>
          {name(row)}
          <span className={classes['cardActions']}>
            {enabled(row)}
            {menuButton(row)}
          </span>
        </div>
        {usage(row)}
        <div className={classes['cardLine']}>
          {state(row)}
          <span className={classes['small']}>{expiry(row)}</span>
        </div>
      </div>
    ),
    [name, enabled, menuButton, usage, state, expiry],
  );
  return { columns, card };
}

function Usage({
  row,
  format,
  unlimited,
}: {
  readonly row: ClientRow;
  readonly format: Format;
  readonly unlimited: string;
}) {
  const { used, share, stats } = row;
  return (
    <span className={classes['usage']}>
      <span className="number">
        <bdi>{format.bytes(used)}</bdi>{' '}
        <span className={classes['of']}>
          / <bdi>{stats.total > 0 ? format.bytes(stats.total) : unlimited}</bdi>
        </span>
      </span>
      {stats.total > 0 && <Meter share={share} />}
    </span>
  );
}

function expiryText(
  { stats: { expiryTime } }: ClientRow,
  format: Format,
  never: string,
  afterFirstUse: (days: number) => string,
): string {
  if (expiryTime === 0) return never;
  return expiryTime < 0 ? afterFirstUse(Math.round(-expiryTime / 86_400_000)) : format.date(expiryTime);
}
