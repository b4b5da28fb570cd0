// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Menu } from '@mantine/core';
import IconEye from '@tabler/icons-react/dist/esm/icons/IconEye.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlugConnected from '@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconServer from '@tabler/icons-react/dist/esm/icons/IconServer.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Route, Routes, useNavigate } from 'react-router';
import { useMay } from '../../api/access';
import type { Node } from '../../api/contract.generated';
import { inbounds as inboundsQuery, nodes as nodesQuery } from '../../api/queries';
import { useFormat } from '../../ui/display/format';
import { Empty, Loaded, Page } from '../../ui/display/Page';
import { DataTable } from '../../ui/table/DataTable';
import { useAddressFlag, useFilters } from '../../ui/table/filters';
import { useRowMenu } from '../../ui/table/RowMenu';
import { useNodeActions } from './actions';
import { useColumns } from './columns';
import { NodeDetail } from './NodeDetail';
import { NodeForm } from './NodeForm';
import { stateOf } from './state';

/** Everything below `#/nodes`. */
export function Nodes() {
  return (
    <Routes>
      <Route index element={<Overview />} />
      <Route path=":id" element={<NodeDetail />} />
    </Routes>
  );
}

function Overview() {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const query = useQuery(nodesQuery);
  const [isAdding, setAdding] = useAddressFlag('new');
  const [edited, setEdited] = useState<Node | null>(null);
  const mayAdd = useMay()('/panel/api/nodes/add');
  const add = mayAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  );
  const nodes = query.data ?? [];
  const synced = nodes.filter((node) => stateOf(node) === 'synced').length;
  return (
    <Page
      title={t('title')}
      fill
      actions={nodes.length > 0 && add}
      summary={nodes.length > 0 ? t('summary', { count: nodes.length, synced: format.number(synced) }) : undefined}
    >
      <Loaded query={query} rows={4}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={<IconServer size={28} />} title={t('none.title')} body={t('none.body')} action={add} />
          ) : (
            <List nodes={all} onEdit={setEdited} />
          )
        }
      </Loaded>
      {isAdding && mayAdd && <NodeForm node={null} onClose={() => setAdding(false)} />}
      {edited && <NodeForm node={edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

const DEFAULTS = { sort: 'name', order: 'asc' } as const;

function List({ nodes, onEdit }: { readonly nodes: readonly Node[]; readonly onEdit: (node: Node) => void }) {
  const { t } = useTranslation('nodes');
  const navigate = useNavigate();
  const [{ sort, order }, setFilters] = useFilters<'sort' | 'order'>(DEFAULTS);
  const may = useMay();
  const { data: inbounds } = useQuery({ ...inboundsQuery, enabled: may('/panel/api/inbounds/overview') });
  const counts = useMemo(() => {
    const byNode = new Map<number, number>();
    for (const { nodeId } of inbounds ?? []) byNode.set(nodeId, (byNode.get(nodeId) ?? 0) + 1);
    return byNode;
  }, [inbounds]);
  const { switching, probing, remove } = useNodeActions();
  const [menuButton, menu] = useRowMenu<Node>(
    ({ name }) => t('actionsFor', { name }),
    (node) => (
      <>
        <Menu.Item leftSection={<IconEye size={16} />} onClick={() => void navigate(`/nodes/${node.id}`)}>
          {t('open')}
        </Menu.Item>
        {may('/panel/api/nodes/probe/:id') && (
          <Menu.Item leftSection={<IconPlugConnected size={16} />} onClick={() => probing.mutate(node)}>
            {t('check')}
          </Menu.Item>
        )}
        {may('/panel/api/nodes/update/:id') && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(node)}>
            {t('edit')}
          </Menu.Item>
        )}
        {may('/panel/api/nodes/del/:id') && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(node)}>
              {t('delete')}
            </Menu.Item>
          </>
        )}
      </>
    ),
  );
  const { columns, card } = useColumns({
    inbounds: counts,
    menuButton,
    toggle: may('/panel/api/nodes/setEnable/:id') ? (node, on) => switching.mutate({ node, on }) : null,
  });
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={nodes}
        idOf={({ id }) => String(id)}
        sort={{ id: sort, desc: order === 'desc' }}
        onSort={({ id, desc }) => setFilters({ sort: id, order: desc ? 'desc' : 'asc' })}
        card={card}
        cardHeight={104}
      />
      {menu}
    </>
  );
}
