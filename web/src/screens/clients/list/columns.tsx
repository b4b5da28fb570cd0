import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../../api/contract.generated';
import { type ClientInbound, clientPath, inboundName } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import type { Column } from '../../../ui/table/DataTable';
import { Toggle } from '../../../ui/table/Toggle';
import classes from '../Clients.module.css';
import { clientStatus, expiry, usage } from './cells';

interface Parts {
  readonly inbounds: readonly ClientInbound[];
  /** Null: the admin may not enable clients. */
  readonly toggle: ((row: ClientRow, enabled: boolean) => void) | null;
  readonly menuButton: (row: ClientRow) => ReactNode;
}

/** The columns of the table, and the card that a row is on a phone. */
export function useColumns({ inbounds, toggle, menuButton }: Parts) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const names = useMemo(() => new Map(inbounds.map((inbound) => [inbound.id, inboundName(inbound)])), [inbounds]);
  const nameOf = useCallback(({ inboundId }: ClientRow) => names.get(inboundId) ?? `#${inboundId}`, [names]);
  const enabled = useCallback(
    (row: ClientRow) =>
      toggle && (
        <Toggle label={t('enabled', { email: row.email })} checked={row.enabled} onChange={(on) => toggle(row, on)} />
      ),
    [t, toggle],
  );
  const name = useCallback((row: ClientRow) => <Name row={row} online={t('online')} />, [t]);

  const columns = useMemo(
    (): readonly Column<ClientRow>[] => [
      { ...column('email', 'minmax(12rem, 2.5fr)'), cell: name, isWhole: true, isFixed: true },
      {
        ...column('inbound', 'minmax(7rem, 1.2fr)'),
        cell: (row) => <bdi title={nameOf(row)}>{nameOf(row)}</bdi>,
      },
      { ...column('state', 'minmax(11rem, 0.8fr)'), cell: (row) => clientStatus(row, t), isWhole: true },
      { ...column('used', 'minmax(10rem, 1.2fr)'), cell: (row) => usage(row, t, format), isNumber: true },
      { ...column('expiry', 'minmax(9.5rem, 0.6fr)'), cell: (row) => expiry(row, t, format) },
      {
        ...column('seen', 'minmax(7.5rem, 0.6fr)'),
        cell: ({ lastOnline }) => (lastOnline === 0 ? '–' : format.relative(lastOnline)),
      },
      { ...column('comment', 'minmax(8rem, 1fr)'), cell: ({ comment }) => <bdi title={comment}>{comment}</bdi> },
      { ...column('created', 'minmax(8rem, 1fr)'), cell: ({ createdAt }) => format.date(createdAt) },
      ...(toggle
        ? [{ id: 'enabled', header: t('column.enabled'), cell: enabled, width: '5.5rem', isWhole: true, isFixed: true }]
        : []),
      { id: 'actions', header: '', cell: menuButton, width: '3.5rem', isWhole: true, isFixed: true },
    ],
    [t, name, nameOf, toggle, enabled, menuButton, format],
  );
  /** The server sorts; `value` only says that it can. */
  function column(id: SortedColumn, width: string) {
    return { id, header: t(`column.${id}`), width, value: () => 0 };
  }
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
        {usage(row, t, format)}
        <div className={classes['cardLine']}>
          {clientStatus(row, t)}
          <span className={classes['small']}>
            {t('column.expiry')}: {expiry(row, t, format)}
          </span>
        </div>
      </div>
    ),
    [name, enabled, menuButton, t, format],
  );
  return { columns, card };
}

type SortedColumn = 'email' | 'inbound' | 'state' | 'used' | 'expiry' | 'seen' | 'comment' | 'created';

function Name({ row, online }: { readonly row: ClientRow; readonly online: string }) {
  return (
    <span className={classes['name']}>
      <span className={classes['dot']} data-online={row.online || undefined} title={row.online ? online : undefined} />
      {/* The address of a screen is in the fragment, so a plain link suffices; one of the router costs ten times as much. */}
      <a href={`#${clientPath(row.email)}`} className={`clip ${classes['nameLink']}`} title={row.email}>
        <bdi>{row.email}</bdi>
      </a>
      {row.online && <span className={classes['hidden']}>{online}</span>}
    </span>
  );
}
