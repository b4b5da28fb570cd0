// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Menu, NativeSelect, TextInput } from '@mantine/core';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconReset from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Inbound } from '../../api/contract.generated';
import { inbounds as inboundsQuery, onlines as onlinesQuery } from '../../api/queries';
import { type ClientRow, clientRows, hasClients } from '../../model/clients';
import { DataTable } from '../../ui/DataTable';
import { useFilters } from '../../ui/filters';
import { useFormat } from '../../ui/format';
import { Empty, Loaded, Page } from '../../ui/Page';
import { useRowMenu } from '../../ui/RowMenu';
import { useClientActions } from './actions';
import { BulkBar } from './BulkBar';
import { ClientForm } from './ClientForm';
import classes from './Clients.module.css';
import { ColumnChooser } from './ColumnChooser';
import { useColumns } from './columns';
import { filtered, STATES } from './filter';
import { LinksDialog } from './LinksDialog';

const DEFAULTS = { search: '', state: 'all', inbound: 'all', sort: 'email', order: 'asc' } as const;
const NONE: ReadonlySet<string> = new Set();

export function Clients() {
  const { t } = useTranslation('clients');
  const query = useQuery(inboundsQuery);
  const [form, setForm] = useState<ClientRow | 'new' | null>(null);
  const withClients = query.data?.filter(hasClients) ?? [];
  return (
    <Page
      title={t('title')}
      fill
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setForm('new')} disabled={withClients.length === 0}>
          {t('add')}
        </Button>
      }
    >
      <Loaded query={query} rows={12}>
        {(inbounds) =>
          withClients.length === 0 ? (
            <Empty
              icon={<IconUsers size={28} />}
              title={t('noInbounds.title')}
              body={t('noInbounds.body')}
              action={
                <Button component={Link} to="/inbounds/new" mt="sm">
                  {t('noInbounds.action')}
                </Button>
              }
            />
          ) : (
            <List inbounds={inbounds} onEdit={setForm} onAdd={() => setForm('new')} />
          )
        }
      </Loaded>
      {form !== null && (
        <ClientForm client={form === 'new' ? null : form} inbounds={withClients} onClose={() => setForm(null)} />
      )}
    </Page>
  );
}

interface ListProps {
  readonly inbounds: readonly Inbound[];
  readonly onEdit: (client: ClientRow) => void;
  readonly onAdd: () => void;
}

function List({ inbounds, onEdit, onAdd }: ListProps) {
  const { t } = useTranslation('clients');
  const { data: online = NONE } = useQuery(onlinesQuery);
  const [filters, setFilters] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => new Set(['comment', 'created']));
  const [links, setLinks] = useState<ClientRow | null>(null);

  const all = useMemo(() => clientRows(inbounds), [inbounds]);
  // The box shows each key at once; the table follows as fast as it can.
  const wanted = useDeferredValue(filters);
  const rows = useMemo(() => filtered(all, wanted, online), [all, wanted, online]);
  const actions = useClientActions();
  const [menuButton, menu] = useRowMenu<ClientRow>(
    ({ email }) => t('actionsFor', { email }),
    (row) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(row)}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLink size={16} />} onClick={() => setLinks(row)}>
          {t('links')}
        </Menu.Item>
        <Menu.Item leftSection={<IconReset size={16} />} onClick={() => actions.reset(row)}>
          {t('reset')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => actions.remove([row])}>
          {t('delete')}
        </Menu.Item>
      </>
    ),
  );
  const { columns, card } = useColumns({ online, toggle: actions.setEnabled, menuButton });
  const toggle = useCallback((id: string) => setSelected((before) => toggled(before, id)), []);
  const selection = useMemo(
    () => ({
      ids: selected,
      toggle,
      toggleAll: () => setSelected(selected.size >= rows.length ? NONE : new Set(rows.map(({ key }) => key))),
      label: t('select'),
    }),
    [selected, toggle, rows, t],
  );
  const chosen = useMemo(() => all.filter(({ key }) => selected.has(key)), [all, selected]);

  return (
    <>
      <FilterBar filters={filters} onChange={setFilters} inbounds={inbounds} count={rows.length}>
        <ColumnChooser columns={columns} hidden={hidden} onChange={setHidden} />
      </FilterBar>
      {chosen.length > 0 && <BulkBar rows={chosen} actions={actions} onClear={() => setSelected(NONE)} />}
      {rows.length === 0 ? (
        <Nothing
          isNew={all.length === 0}
          onAdd={onAdd}
          onClear={() => setFilters({ search: '', state: 'all', inbound: 'all' })}
        />
      ) : (
        <DataTable
          label={t('title')}
          columns={columns}
          rows={rows}
          idOf={({ key }) => key}
          sort={{ id: filters.sort, desc: filters.order === 'desc' }}
          onSort={({ id, desc }) => setFilters({ sort: id, order: desc ? 'desc' : 'asc' })}
          hidden={hidden}
          selection={selection}
          card={card}
          cardHeight={104}
        />
      )}
      {menu}
      {links && <LinksDialog client={links} onClose={() => setLinks(null)} />}
    </>
  );
}

interface FilterBarProps {
  readonly filters: Readonly<Record<keyof typeof DEFAULTS, string>>;
  readonly onChange: (changes: Partial<Record<keyof typeof DEFAULTS, string>>) => void;
  readonly inbounds: readonly Inbound[];
  readonly count: number;
  readonly children: ReactNode;
}

function FilterBar({ filters, onChange, inbounds, count, children }: FilterBarProps) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (
    <div className={classes['bar']}>
      <TextInput
        type="search"
        className={classes['search']}
        leftSection={<IconSearch size={16} />}
        placeholder={t('search')}
        aria-label={t('search')}
        value={filters.search}
        onChange={({ currentTarget }) => onChange({ search: currentTarget.value })}
      />
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.state')}
        value={filters.state}
        onChange={({ currentTarget }) => onChange({ state: currentTarget.value })}
        data={STATES.map((state) => ({ value: state, label: t(`state.${state}`) }))}
      />
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.inbound')}
        value={filters.inbound}
        onChange={({ currentTarget }) => onChange({ inbound: currentTarget.value })}
        data={[
          { value: 'all', label: t('filter.allInbounds') },
          ...inbounds
            .filter(hasClients)
            .map(({ id, remark, port }) => ({ value: String(id), label: `${remark || `#${id}`} · ${port}` })),
        ]}
      />
      {children}
      <span className={classes['count']} role="status">
        {t('count', { count, shown: format.number(count) })}
      </span>
    </div>
  );
}

interface NothingProps {
  /** There are no clients at all. */
  readonly isNew: boolean;
  readonly onAdd: () => void;
  readonly onClear: () => void;
}

function Nothing({ isNew, onAdd, onClear }: NothingProps) {
  const { t } = useTranslation('clients');
  return (
    <Empty
      icon={<IconUsers size={28} />}
      title={isNew ? t('none.title') : t('nothing.title')}
      body={isNew ? t('none.body') : t('nothing.body')}
      action={
        isNew ? (
          <Button mt="sm" onClick={onAdd}>
            {t('add')}
          </Button>
        ) : (
          <Button variant="default" mt="sm" onClick={onClear}>
            {t('nothing.action')}
          </Button>
        )
      }
    />
  );
}

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(id)) next.add(id);
  return next;
}
