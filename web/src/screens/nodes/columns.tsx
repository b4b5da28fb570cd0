import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Node } from '../../api/contract.generated';
import { Technical, useFormat } from '../../ui/display/format';
import { Status } from '../../ui/display/Status';
import type { Column } from '../../ui/table/DataTable';
import { Toggle } from '../../ui/table/Toggle';
import classes from './Nodes.module.css';
import { stateOf, TONES } from './state';

interface Parts {
  /** Null for a role that cannot pause nodes. */
  readonly toggle: ((node: Node, on: boolean) => void) | null;
  readonly menuButton: (node: Node) => ReactNode;
  /** Inbounds by the number of their node. */
  readonly inbounds: ReadonlyMap<number, number>;
}

/** The columns of the list, and the card that a node is on a phone. */
export function useColumns({ toggle, menuButton, inbounds }: Parts) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const name = (node: Node) => (
    <Anchor component={Link} to={`/nodes/${node.id}`} size="sm" fw={600} className="clip" title={node.name}>
      <bdi>{node.name}</bdi>
    </Anchor>
  );
  const state = (node: Node) => {
    const word = stateOf(node);
    return (
      <Status tone={TONES[word]}>
        <span title={node.lastError || node.pendingReason}>{t(`state.${word}`)}</span>
      </Status>
    );
  };
  const isKnown = ({ status }: Node): boolean => status === 'online';
  const latency = (node: Node) => (isKnown(node) ? t('ms', { value: format.number(node.latencyMs) }) : '–');
  const load = (node: Node) =>
    isKnown(node) ? `${format.percent(node.cpuPct / 100)} · ${format.percent(node.memPct / 100)}` : '–';
  // A node that has not answered yet has no kind, and its changes are not known.
  const lag = ({ kind, pendingChanges }: Node) => (kind === '' ? '–' : format.number(pendingChanges));
  const count = ({ id }: Node): number => inbounds.get(id) ?? 0;
  const enabled = (node: Node) =>
    toggle && (
      <Toggle label={t('enabled', { name: node.name })} checked={node.enable} onChange={(on) => toggle(node, on)} />
    );
  const columns: readonly Column<Node>[] = [
    { id: 'name', header: t('column.name'), cell: name, value: (node) => node.name, width: 'minmax(11rem, 2fr)' },
    { id: 'state', header: t('column.state'), cell: state, value: stateOf, width: 'minmax(10rem, 1.3fr)' },
    {
      id: 'latency',
      header: t('column.latency'),
      cell: latency,
      value: (node) => node.latencyMs,
      width: '7rem',
      isNumber: true,
    },
    {
      id: 'load',
      header: t('column.load'),
      cell: load,
      value: (node) => node.cpuPct,
      width: '9rem',
      isNumber: true,
    },
    {
      id: 'version',
      header: t('column.version'),
      cell: ({ coreVersion }) => <Technical>{coreVersion || '–'}</Technical>,
      value: ({ coreVersion }) => coreVersion,
      width: '7rem',
    },
    {
      id: 'lag',
      header: t('column.lag'),
      cell: lag,
      value: ({ pendingChanges }) => pendingChanges,
      width: '10rem',
      isNumber: true,
    },
    {
      id: 'inbounds',
      header: t('column.inbounds'),
      cell: (node) => format.number(count(node)),
      value: count,
      width: '7rem',
      isNumber: true,
    },
    ...(toggle ? [{ id: 'enabled', header: t('column.enabled'), cell: enabled, width: '5.5rem' }] : []),
    { id: 'actions', header: '', cell: menuButton, width: '3.5rem' },
  ];
  const card = (node: Node) => (
    <div className={classes['card']}>
      <div className={classes['line']}>
        {name(node)}
        <span className={classes['controls']}>
          {enabled(node)}
          {menuButton(node)}
        </span>
      </div>
      <div className={classes['line']}>
        {state(node)}
        <span className="number">{latency(node)}</span>
      </div>
      <div className={classes['line']} data-quiet>
        <span>{t('inboundCount', { count: count(node) })}</span>
        <span className="number">
          {t('column.load')}: {load(node)}
        </span>
      </div>
    </div>
  );
  return { columns, card };
}
