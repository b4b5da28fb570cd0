import { Button, Menu } from '@mantine/core';
import IconMove from '@tabler/icons-react/dist/esm/icons/IconArrowsExchange.mjs';
import IconExtend from '@tabler/icons-react/dist/esm/icons/IconCalendarPlus.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconQr from '@tabler/icons-react/dist/esm/icons/IconQrcode.mjs';
import IconReset from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import IconUser from '@tabler/icons-react/dist/esm/icons/IconUser.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useMay } from '../../../api/access';
import type { ClientRow } from '../../../api/contract.generated';
import { clientInbounds } from '../../../api/queries';
import { type ClientInbound, clientPath } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import { Empty, Loaded, Loading, Page } from '../../../ui/display/Page';
import { useAddressFlag, useTypedSearch } from '../../../ui/table/filters';
import { useRowMenu } from '../../../ui/table/RowMenu';
import type { Sort } from '../../../ui/table/table-types';
import { type ClientAction, type ClientActions, useClientActions, useMayChange } from '../actions';
import classes from '../Clients.module.css';
import { AddClient } from '../form/AddClient';
import { EditClient } from '../form/EditClient';
import { LinksDialog } from '../links/LinksDialog';
import { BulkBar } from './BulkBar';
import { BulkDialog } from './BulkDialog';
import { ClientTable } from './ClientTable';
import { ColumnChooser } from './ColumnChooser';
import { useColumns } from './columns';
import { ExportButton } from './ExportButton';
import { FilterBar } from './FilterBar';
import { type Filters, isFiltered, NO_FILTERS, queryOf, useClientFilters } from './filters';
import { Nothing } from './Nothing';
import { useFirstPage, useShownList } from './pages';
import { SearchBox } from './SearchBox';
import { useSelection } from './selection';
import { ViewsMenu } from './ViewsMenu';
import { useViews } from './views';

/** All clients, over all inbounds. */
export function ClientList() {
  const { t } = useTranslation('clients');
  const query = useQuery(clientInbounds);
  const [isAdding, setAdding] = useAddressFlag('new');
  const may = useMay();
  return (
    <Page
      title={t('title')}
      fill
      actions={
        may('/panel/api/inbounds/addClient') && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)} disabled={!query.data?.length}>
            {t('add')}
          </Button>
        )
      }
    >
      <Loaded query={query} rows={12}>
        {(inbounds) => (
          <>
            {inbounds.length === 0 ? (
              <Empty
                icon={<IconUsers size={28} />}
                title={t('noInbounds.title')}
                body={t('noInbounds.body')}
                action={
                  may('/panel/api/inbounds/add') && (
                    <Button component={Link} to="/inbounds/new" mt="sm">
                      {t('noInbounds.action')}
                    </Button>
                  )
                }
              />
            ) : (
              <List inbounds={inbounds} onAdd={() => setAdding(true)} />
            )}
            {isAdding && may('/panel/api/inbounds/addClient') && (
              <AddClient inbounds={inbounds} onClose={() => setAdding(false)} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface Opened {
  readonly row: ClientRow;
  readonly what: 'edit' | 'links' | 'extend' | 'addTraffic' | 'move';
}

function List({ inbounds, onAdd }: { readonly inbounds: readonly ClientInbound[]; readonly onAdd: () => void }) {
  const { t } = useTranslation('clients');
  const [inAddress, setFilters] = useClientFilters();
  // The searches that the panel has answered, and whether they may be in the address.
  const answered = useRef<ReadonlyMap<string, boolean>>(NO_ANSWERS);
  const typed = useTypedSearch(
    inAddress.search,
    (search) => setFilters({ search }),
    (search) => search.trim() === '' || answered.current.get(search.trim()),
  );
  const filters = useMemo(() => ({ ...inAddress, search: typed.search }), [inAddress, typed.search]);
  const { hidden: columnsHidden, setHidden } = useViews();
  const hidden = useMemo(() => new Set(columnsHidden), [columnsHidden]);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [bulk, setBulk] = useState<ClientAction | null>(null);
  const filter = useMemo(() => queryOf(filters), [filters]);
  const first = useFirstPage(filter);
  const shown = useShownList(filter, first);
  const isNamed = first.isPlaceholderData ? undefined : first.data?.named;
  const { settle, replace } = typed;
  useEffect(() => {
    if (isNamed === undefined) return;
    answered.current = new Map([[filter.search ?? '', isNamed]]);
    settle();
  }, [filter.search, isNamed, settle]);
  const { selection, count, isAll, target, clear } = useSelection(shown.page?.matched ?? 0, t('select'));
  const wholeTarget = useMemo(() => (isAll ? { ...filter, ...target } : target), [isAll, filter, target]);
  const actions = useClientActions();
  const mayChange = useMayChange();
  const [menuButton, menu] = useClientMenu(actions, (row, what) => setOpened({ row, what }));
  const { columns, card } = useColumns({
    inbounds,
    toggle: mayChange('enable') ? actions.setEnabled : null,
    menuButton,
  });
  const change = useCallback(
    (changes: Partial<Filters>): void => {
      // A selection of all is one of these filters.
      if (isAll) clear();
      if (changes.search !== undefined) replace(changes.search);
      setFilters(changes);
    },
    [isAll, clear, replace, setFilters],
  );
  const { search: found = '' } = shown.query;
  const viewed = useMemo(
    () => ({ ...inAddress, search: shown.page?.named === true ? found : '' }),
    [inAddress, found, shown.page?.named],
  );
  const sort = useMemo(() => ({ id: filters.sort, desc: filters.order === 'desc' }), [filters.sort, filters.order]);
  const onSort = useCallback(
    ({ id, desc }: Sort) => setFilters({ sort: id, order: desc ? 'desc' : 'asc' }),
    [setFilters],
  );
  const search = (text: string): void => {
    if (isAll) clear();
    typed.type(text);
  };
  return (
    <>
      <div className={classes['bar']}>
        <SearchBox search={filters.search} replacements={typed.replacements} onSearch={search} onLeave={typed.flush} />
        <FilterBar filters={inAddress} onChange={change} inbounds={inbounds} counts={shown.page?.counts} />
        <ColumnChooser columns={columns} hidden={hidden} onChange={setHidden} />
        <ViewsMenu filters={viewed} onApply={change} />
        <ExportButton query={shown.query} />
        <Totals count={shown.page?.matched ?? 0} used={shown.page?.used ?? 0} />
      </div>
      {count > 0 && <BulkBar count={count} target={wholeTarget} onAction={setBulk} onClear={clear} />}
      <Loaded query={first} rows={12}>
        {() =>
          shown.page === undefined ? (
            <Loading rows={12} />
          ) : shown.page.matched === 0 ? (
            <Nothing
              isNew={shown.page.counts.all === 0 && !isFiltered(filters)}
              onAdd={onAdd}
              onClear={() => change(NO_FILTERS)}
            />
          ) : (
            <div className={classes['found']} aria-busy={shown.query !== filter}>
              <ClientTable
                shown={shown}
                columns={columns}
                sort={sort}
                onSort={onSort}
                hidden={hidden}
                selection={selection}
                card={card}
              />
            </div>
          )
        }
      </Loaded>
      {menu}
      {opened && <OneClient {...opened} inbounds={inbounds} onClose={() => setOpened(null)} />}
      {bulk && (
        <BulkDialog
          action={bulk}
          target={wholeTarget}
          inbounds={inbounds}
          onClose={() => setBulk(null)}
          onDone={() => {
            setBulk(null);
            if (bulk === 'delete' || bulk === 'move') clear();
          }}
        />
      )}
    </>
  );
}

interface OneProps extends Opened {
  readonly inbounds: readonly ClientInbound[];
  readonly onClose: () => void;
}

/** What the menu of a row opens. */
function OneClient({ row, what, inbounds, onClose }: OneProps) {
  if (what === 'links') return <LinksDialog client={row} onClose={onClose} />;
  if (what === 'edit') return <EditClient row={row} inbounds={inbounds} onClose={onClose} />;
  return <BulkDialog action={what} target={{ clients: [row.id] }} {...{ inbounds, onClose }} onDone={onClose} />;
}

const NO_ANSWERS: ReadonlyMap<string, boolean> = new Map();

function Totals({ count, used }: { readonly count: number; readonly used: number }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (
    <span className={classes['count']} role="status">
      {t('count', { count, shown: format.number(count) })} · <bdi>{format.bytes(used)}</bdi>
    </span>
  );
}

function useClientMenu(actions: ClientActions, open: (row: ClientRow, what: Opened['what']) => void) {
  const { t } = useTranslation('clients');
  const navigate = useNavigate();
  const may = useMay();
  const mayChange = useMayChange();
  return useRowMenu<ClientRow>(
    ({ email }) => t('actionsFor', { email }),
    (row) => (
      <>
        <Menu.Item leftSection={<IconUser size={16} />} onClick={() => void navigate(clientPath(row.email))}>
          {t('open')}
        </Menu.Item>
        {mayChange('enable') && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => open(row, 'edit')}>
            {t('edit')}
          </Menu.Item>
        )}
        {may('/panel/api/inbounds/getClientLinks/:id/:email') && (
          <Menu.Item leftSection={<IconQr size={16} />} onClick={() => open(row, 'links')}>
            {t('links')}
          </Menu.Item>
        )}
        {mayChange('extend') && (
          <>
            <Menu.Item leftSection={<IconExtend size={16} />} onClick={() => open(row, 'extend')}>
              {t('action.extend')}
            </Menu.Item>
            <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => open(row, 'addTraffic')}>
              {t('action.addTraffic')}
            </Menu.Item>
          </>
        )}
        {mayChange('move') && (
          <Menu.Item leftSection={<IconMove size={16} />} onClick={() => open(row, 'move')}>
            {t('action.move')}
          </Menu.Item>
        )}
        {mayChange('reset') && (
          <Menu.Item leftSection={<IconReset size={16} />} onClick={() => actions.reset(row)}>
            {t('reset')}
          </Menu.Item>
        )}
        {mayChange('delete') && (
          <>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => actions.remove(row)}>
              {t('delete')}
            </Menu.Item>
          </>
        )}
      </>
    ),
  );
}
