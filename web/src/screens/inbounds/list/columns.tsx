import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { InboundSummary } from '../../../api/contract.generated';
import type { Column } from '../../../ui/table/DataTable';
import { Toggle } from '../../../ui/table/Toggle';
import { nameOf } from '../actions';
import classes from '../Inbounds.module.css';
import { Clients, Closed, Kind, Name, Place, Usage } from './cells';

export interface Parts {
  /** Null: the admin may not enable inbounds. */
  readonly toggle: ((inbound: InboundSummary, enabled: boolean) => void) | null;
  readonly menuButton: (inbound: InboundSummary) => ReactNode;
  /** Names of the nodes by their ids. */
  readonly nodes: ReadonlyMap<number, string>;
  /** Whether inbounds name machines of a cluster. */
  readonly hasMachines: boolean;
}

type Row = InboundSummary;

/** The columns of the list; the node only where there are some. */
export function useColumns({ toggle, menuButton, nodes, hasMachines }: Parts): readonly Column<Row>[] {
  const { t } = useTranslation('inbounds');
  const column = (id: 'remark' | 'kind' | 'port' | 'node' | 'machine' | 'clients' | 'used', width: string) => ({
    ...{ id, width },
    header: t(`column.${id}`),
  });
  const nodeOf = ({ nodeId }: Row): string => (nodeId === 0 ? t('thisServer') : (nodes.get(nodeId) ?? `#${nodeId}`));
  const withNodes: readonly Column<Row>[] = [
    { ...column('node', 'minmax(7rem, 1fr)'), cell: (row) => <bdi>{nodeOf(row)}</bdi>, value: nodeOf },
  ];
  const withMachines: readonly Column<Row>[] = [
    {
      ...column('machine', 'minmax(7rem, 1fr)'),
      cell: ({ machine }) => <bdi>{machine ?? '–'}</bdi>,
      value: ({ machine = '' }) => machine,
    },
  ];
  const enabled: Column<Row> = {
    id: 'enabled',
    header: t('column.enabled'),
    cell: (row) => <Enabled row={row} toggle={toggle} />,
    width: '5.5rem',
  };
  return [
    {
      ...column('remark', 'minmax(12rem, 2fr)'),
      cell: (row) => (
        <span className={classes['name']}>
          <Name inbound={row} />
          <Closed inbound={row} />
        </span>
      ),
      value: nameOf,
    },
    {
      ...column('kind', 'minmax(13rem, 1.5fr)'),
      cell: (row) => <Kind inbound={row} />,
      value: ({ protocol, network, security }) => `${protocol} ${network} ${security}`,
    },
    { ...column('port', 'minmax(9rem, 1fr)'), cell: (row) => <Place inbound={row} />, value: ({ port }) => port },
    ...(nodes.size > 0 ? withNodes : []),
    ...(hasMachines ? withMachines : []),
    {
      ...column('clients', 'minmax(7rem, 1fr)'),
      cell: (row) => <Clients inbound={row} />,
      value: ({ clients }) => clients,
      isNumber: true,
    },
    {
      ...column('used', 'minmax(10rem, 1fr)'),
      cell: (row) => <Usage inbound={row} />,
      value: ({ up, down }) => up + down,
      isNumber: true,
    },
    ...(toggle ? [enabled] : []),
    { id: 'actions', header: '', cell: menuButton, width: '3.5rem' },
  ];
}

function Enabled({ row, toggle }: { readonly row: Row; readonly toggle: Parts['toggle'] }) {
  const { t } = useTranslation('inbounds');
  if (!toggle) return null;
  return (
    <Toggle label={t('enabled', { name: nameOf(row) })} checked={row.enabled} onChange={(on) => toggle(row, on)} />
  );
}

/** An inbound on a phone. */
export function useCard({ toggle, menuButton, nodes }: Parts): (row: Row) => ReactNode {
  return useMemo(() => {
    const card = (row: Row) => (
      <div className={classes['card']}>
        <div className={classes['line']}>
          <Name inbound={row} />
          <span className={classes['controls']}>
            <Enabled row={row} toggle={toggle} />
            {menuButton(row)}
          </span>
        </div>
        <div className={classes['line']}>
          <Kind inbound={row} />
          <Place inbound={row} />
        </div>
        <div className={classes['line']}>
          <span className={classes['of']}>
            <CardClients row={row} node={nodes.get(row.nodeId) ?? row.machine} />
          </span>
          <Closed inbound={row} />
          <Usage inbound={row} />
        </div>
      </div>
    );
    return card;
  }, [toggle, menuButton, nodes]);
}

function CardClients({ row, node }: { readonly row: Row; readonly node: string | undefined }) {
  const { t } = useTranslation('inbounds');
  return (
    <>
      {t('clientCount', { count: row.clients })}
      {node !== undefined && (
        <>
          {' · '}
          <bdi>{node}</bdi>
        </>
      )}
    </>
  );
}
