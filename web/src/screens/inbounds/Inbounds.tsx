// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Menu } from '@mantine/core';
import IconArrowBarToDown from '@tabler/icons-react/dist/esm/icons/IconArrowBarToDown.mjs';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconReset from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, Route, Routes, useNavigate } from 'react-router';
import { api } from '../../api/client';
import type { Inbound } from '../../api/contract.generated';
import { inbounds as inboundsQuery } from '../../api/queries';
import { useAction } from '../../ui/action';
import { confirmLoss } from '../../ui/confirm';
import { DataTable } from '../../ui/DataTable';
import { useFilters } from '../../ui/filters';
import { useFormat } from '../../ui/format';
import { Empty, Loaded, Page } from '../../ui/Page';
import { useRowMenu } from '../../ui/RowMenu';
import { useColumns } from './columns';
import { bodyOf, draftOf } from './draft';
import { EditInbound, NewInbound } from './Editor';
import { freePort } from './generators';

/** Everything below `#/inbounds`. */
export function Inbounds() {
  return (
    <Routes>
      <Route index element={<Overview />} />
      <Route path="new" element={<NewInbound />} />
      <Route path=":id" element={<EditInbound />} />
    </Routes>
  );
}

const DEFAULTS = { sort: 'remark', order: 'asc' } as const;

function Overview() {
  const { t } = useTranslation('inbounds');
  const query = useQuery(inboundsQuery);
  const add = (
    <Button component={Link} to="/inbounds/new" leftSection={<IconPlus size={16} />}>
      {t('add')}
    </Button>
  );
  return (
    <Page title={t('title')} fill actions={add}>
      <Loaded query={query} rows={8}>
        {(inbounds) =>
          inbounds.length === 0 ? (
            <Empty icon={<IconArrowBarToDown size={28} />} title={t('none.title')} body={t('none.body')} action={add} />
          ) : (
            <List inbounds={inbounds} />
          )
        }
      </Loaded>
    </Page>
  );
}

const STALE = [['inbounds']] as const;

function List({ inbounds }: { readonly inbounds: readonly Inbound[] }) {
  const { t } = useTranslation('inbounds');
  const format = useFormat();
  const navigate = useNavigate();
  const [{ sort, order }, setFilters] = useFilters<'sort' | 'order'>(DEFAULTS);
  const enable = (id: number, on: boolean) =>
    api.post('/panel/api/inbounds/setEnable/:id', { params: { id }, body: { enable: on } });
  const switching = useAction<{ readonly inbound: Inbound; readonly on: boolean }>({
    stale: STALE,
    run: ({ inbound, on }) => enable(inbound.id, on),
    undo: ({ inbound, on }) => enable(inbound.id, !on),
  });
  const removing = useAction<Inbound>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/inbounds/del/:id', { params: { id } }),
  });
  const resetting = useAction<Inbound>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/inbounds/:id/resetTraffic', { params: { id } }),
  });
  const cloning = useAction<Inbound>({
    stale: STALE,
    run: (inbound) => {
      const copy = { ...draftOf(inbound), remark: `${inbound.remark} 2`, port: freePort(inbounds), enable: false };
      return api.post('/panel/api/inbounds/add', { body: bodyOf(copy) });
    },
  });
  const remove = (inbound: Inbound): void =>
    confirmLoss({
      title: t('deleteTitle', { name: nameOf(inbound) }),
      body: t('deleteBody', { count: inbound.clientStats.length, used: format.bytes(inbound.up + inbound.down) }),
      action: t('delete'),
      run: () => removing.mutate(inbound),
    });
  const [menuButton, menu] = useRowMenu<Inbound>(
    (inbound) => t('actionsFor', { name: nameOf(inbound) }),
    (inbound) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => void navigate(`/inbounds/${inbound.id}`)}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconUsers size={16} />}
          onClick={() => void navigate(`/clients?inbound=${inbound.id}`)}
        >
          {t('clients')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => cloning.mutate(inbound)}>
          {t('clone')}
        </Menu.Item>
        <Menu.Item leftSection={<IconReset size={16} />} onClick={() => resetting.mutate(inbound)}>
          {t('reset')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(inbound)}>
          {t('delete')}
        </Menu.Item>
      </>
    ),
  );
  const { columns, card } = useColumns({ toggle: (inbound, on) => switching.mutate({ inbound, on }), menuButton });
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={inbounds}
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

export const nameOf = ({ id, remark }: Pick<Inbound, 'id' | 'remark'>): string => remark || `#${id}`;
