import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import type { Gets } from '../../../api/contract.generated';
import { nodes as nodesQuery } from '../../../api/queries';
import { type ClientInbound, inboundName } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import classes from '../Clients.module.css';
import { type Filters, STATES } from './filters';

/** A phone has no headers of columns to sort by. */
const SORTS = [
  ['email', 'asc'],
  ['used', 'desc'],
  ['expiry', 'asc'],
  ['seen', 'desc'],
  ['state', 'asc'],
  ['created', 'desc'],
] as const;

interface Props {
  readonly filters: Omit<Filters, 'search'>;
  readonly onChange: (changes: Partial<Filters>) => void;
  readonly inbounds: readonly ClientInbound[];
  readonly counts: Gets['/panel/api/clients/page']['reply']['counts'] | undefined;
}

/** The filters of the list beside its search. They do not change while the admin types. */
export const FilterBar = memo(function FilterBar({ filters, onChange, inbounds, counts }: Props) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const counted = (label: string, count: number | undefined) =>
    count === undefined ? label : `${label} (${format.number(count)})`;
  return (
    <>
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.state')}
        value={filters.state}
        onChange={({ currentTarget }) => onChange({ state: currentTarget.value })}
        data={STATES.map((state) => ({ value: state, label: counted(t(`state.${state}`), counts?.[state]) }))}
      />
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.online')}
        value={filters.online}
        onChange={({ currentTarget }) => onChange({ online: currentTarget.value })}
        data={[
          { value: 'all', label: t('filter.anyConnection') },
          { value: 'yes', label: counted(t('online'), counts?.online) },
          { value: 'no', label: counted(t('offline'), counts?.offline) },
        ]}
      />
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.inbound')}
        value={filters.inbound}
        onChange={({ currentTarget }) => onChange({ inbound: currentTarget.value })}
        data={[
          { value: 'all', label: t('filter.allInbounds') },
          ...inbounds.map((inbound) => ({
            value: String(inbound.id),
            label: `${inboundName(inbound)} · ${inbound.port}`,
          })),
        ]}
      />
      <NodeFilter value={filters.node} onChange={(node) => onChange({ node })} />
      <NativeSelect
        className={classes['sort']}
        aria-label={t('sort')}
        value={`${filters.sort} ${filters.order}`}
        onChange={({ currentTarget }) => {
          const [sort = '', order = ''] = currentTarget.value.split(' ');
          onChange({ sort, order });
        }}
        data={SORTS.map(([sort, order]) => ({
          value: `${sort} ${order}`,
          label: `${t(`column.${sort}`)} ${order === 'asc' ? '↑' : '↓'}`,
        }))}
      />
    </>
  );
});

/** By the machine whose core listens; nothing without nodes. */
function NodeFilter({ value, onChange }: { readonly value: string; readonly onChange: (node: string) => void }) {
  const { t } = useTranslation('clients');
  const { data: nodes = [] } = useQuery({ ...nodesQuery, enabled: useMay()('/panel/api/nodes/list') });
  if (nodes.length === 0 && value === 'all') return null;
  return (
    <NativeSelect
      className={classes['choice'] ?? ''}
      aria-label={t('filter.node')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: 'all', label: t('filter.allNodes') },
        { value: '0', label: t('filter.thisServer') },
        ...nodes.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  );
}
