import { Menu, NativeSelect, Text, TextInput } from '@mantine/core';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconReset from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMay } from '../../../api/access';
import type { InboundSummary } from '../../../api/contract.generated';
import { nodes as nodesQuery } from '../../../api/queries';
import { hasClients } from '../../../model/clients';
import { AuditItem } from '../../../ui/display/AuditLink';
import { DataTable } from '../../../ui/table/DataTable';
import { useFilters } from '../../../ui/table/filters';
import { useRowMenu } from '../../../ui/table/RowMenu';
import { nameOf, useInboundActions } from '../actions';
import classes from '../Inbounds.module.css';
import { useCard, useColumns } from './columns';
import { LinksDialog } from './LinksDialog';

const DEFAULTS = { sort: 'remark', order: 'asc', search: '', node: 'all' } as const;
type Filters = Readonly<Record<keyof typeof DEFAULTS, string>>;

/** All inbounds, which can be searched and filtered by node. */
export function List({ inbounds }: { readonly inbounds: readonly InboundSummary[] }) {
  const { t } = useTranslation('inbounds');
  const [filters, setFilters] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const [linked, setLinked] = useState<InboundSummary | null>(null);
  const may = useMay();
  const { data: all = [] } = useQuery({ ...nodesQuery, enabled: may('/panel/api/nodes/list') });
  const nodes = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all]);
  const hasMachines = useMemo(() => inbounds.some(({ machine }) => machine !== undefined), [inbounds]);
  const shown = useMemo(() => inbounds.filter((inbound) => matches(inbound, filters)), [inbounds, filters]);
  const actions = useInboundActions();
  const [menuButton, menu] = useInboundMenu(actions, setLinked);
  const parts = {
    toggle: may('/panel/api/inbounds/update/:id') ? actions.switchTo : null,
    menuButton,
    nodes,
    hasMachines,
  };
  const columns = useColumns(parts);
  const card = useCard(parts);
  return (
    <>
      <FilterBar filters={filters} onChange={setFilters} nodes={nodes} />
      {shown.length === 0 ? (
        <Text c="dimmed" size="sm" role="status">
          {t('nothing')}
        </Text>
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={shown}
          idOf={({ id }) => String(id)}
          sort={{ id: filters.sort, desc: filters.order === 'desc' }}
          onSort={({ id, desc }) => setFilters({ sort: id, order: desc ? 'desc' : 'asc' })}
          card={card}
          cardHeight={112}
        />
      )}
      {menu}
      {linked && <LinksDialog inbound={linked} onClose={() => setLinked(null)} />}
    </>
  );
}

function matches(inbound: InboundSummary, { search, node }: Filters): boolean {
  if (node !== 'all' && String(inbound.nodeId) !== node) return false;
  const { remark, tag, protocol, network, security, listen, port, machine = '' } = inbound;
  const text = [remark, tag, protocol, network, security, listen, port, machine].join('\n').toLowerCase();
  return text.includes(search.trim().toLowerCase());
}

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
  readonly nodes: ReadonlyMap<number, string>;
}

function FilterBar({ filters, onChange, nodes }: FilterBarProps) {
  const { t } = useTranslation('inbounds');
  return (
    <div className={classes['filters']}>
      <TextInput
        type="search"
        className={classes['search'] ?? ''}
        leftSection={<IconSearch size={16} aria-hidden />}
        placeholder={t('search')}
        aria-label={t('search')}
        value={filters.search}
        onChange={({ currentTarget: { value } }) => onChange({ search: value })}
      />
      {nodes.size > 0 && (
        <NativeSelect
          aria-label={t('column.node')}
          value={filters.node}
          onChange={({ currentTarget: { value } }) => onChange({ node: value })}
          data={[
            { value: 'all', label: t('allNodes') },
            { value: '0', label: t('thisServer') },
            ...[...nodes].map(([id, name]) => ({ value: String(id), label: name })),
          ]}
        />
      )}
    </div>
  );
}

function useInboundMenu(actions: ReturnType<typeof useInboundActions>, showLinks: (inbound: InboundSummary) => void) {
  const { t } = useTranslation('inbounds');
  const navigate = useNavigate();
  const may = useMay();
  return useRowMenu<InboundSummary>(
    (inbound) => t('actionsFor', { name: nameOf(inbound) }),
    (inbound) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => void navigate(`/inbounds/${inbound.id}`)}>
          {t(may('/panel/api/inbounds/update/:id') ? 'edit' : 'open')}
        </Menu.Item>
        {hasClients(inbound) && may('/panel/api/clients/page') && (
          <>
            <Menu.Item
              leftSection={<IconUsers size={16} />}
              onClick={() => void navigate(`/clients?inbound=${inbound.id}`)}
            >
              {t('clients')}
            </Menu.Item>
            {may('/panel/api/inbounds/getClientLinks/:id/:email') && (
              <Menu.Item leftSection={<IconLink size={16} />} onClick={() => showLinks(inbound)}>
                {t('links')}
              </Menu.Item>
            )}
          </>
        )}
        {may('/panel/api/inbounds/add') && (
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => actions.clone(inbound)}>
            {t('clone')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => actions.exportOne(inbound)}>
          {t('export')}
        </Menu.Item>
        <AuditItem inbound={inbound.id} />
        {may('/panel/api/inbounds/:id/resetTraffic') && (
          <Menu.Item leftSection={<IconReset size={16} />} onClick={() => actions.reset(inbound)}>
            {t('reset')}
          </Menu.Item>
        )}
        {may('/panel/api/inbounds/delete/:id') && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => actions.remove(inbound)}>
              {t('delete')}
            </Menu.Item>
          </>
        )}
      </>
    ),
  );
}
