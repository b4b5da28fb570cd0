import { Button, Loader, Menu } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconCompare from '@tabler/icons-react/dist/esm/icons/IconGitCompare.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconScale from '@tabler/icons-react/dist/esm/icons/IconScale.mjs';
import IconShield from '@tabler/icons-react/dist/esm/icons/IconShieldCheck.mjs';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { useFormat } from '../../ui/display/format';
import { Empty, Loaded, Page } from '../../ui/display/Page';
import { DataTable } from '../../ui/table/DataTable';
import { useFilters } from '../../ui/table/filters';
import classes from './Audit.module.css';
import { Chain } from './Chain';
import { useColumns } from './columns';
import { EventDrawer } from './EventDrawer';
import { FilterBar } from './FilterBar';
import { type AuditEntry, type AuditQuery, DEFAULTS, type Filters, keyOf, queryOf } from './filter';
import { auditNews, auditPages, MAX_NEWS } from './queries';

const NO_ROWS: readonly AuditEntry[] = [];
const UNSORTED = { id: '', desc: false };
const noSort = (): undefined => undefined;
/** The next page is loaded when so many rows are left below those in view. */
const AHEAD = 30;

/** The log, newest first, and over it the event of the address. */
export function AuditList() {
  const { t } = useTranslation('audit');
  const [filters, setFilters] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const [isChainOpen, setChainOpen] = useState(false);
  const query = useMemo(() => queryOf(filters), [filters]);
  const { position } = useParams();
  const { search } = useLocation();
  const may = useMay();
  const navigate = useNavigate();
  return (
    <Page
      title={t('title')}
      fill
      actions={
        <>
          <Button component={Link} to="/audit/compare" variant="default" leftSection={<IconCompare size={16} />}>
            {t('compare')}
          </Button>
          {may('/panel/api/audit/recount/preview') && (
            <Button component={Link} to="/audit/recount" variant="default" leftSection={<IconScale size={16} />}>
              {t('recount')}
            </Button>
          )}
          <Button variant="default" leftSection={<IconShield size={16} />} onClick={() => setChainOpen(true)}>
            {t('chain')}
          </Button>
          <Export query={query} />
        </>
      }
    >
      <FilterBar filters={filters} onChange={setFilters} />
      <Events query={query} onClear={() => setFilters(DEFAULTS)} />
      {isChainOpen && <Chain onClose={() => setChainOpen(false)} />}
      {position !== undefined && (
        <EventDrawer
          position={position}
          onFilter={(changes: Partial<Filters>) => {
            const next = new URLSearchParams(Object.entries(changes));
            void navigate(`/audit?${next}`);
          }}
          onClose={() => void navigate(`/audit${search}`)}
        />
      )}
    </Page>
  );
}

function Export({ query }: { readonly query: AuditQuery }) {
  const { t } = useTranslation('audit');
  const formats = [
    ['jsonl', t('export.jsonl')],
    ['csv', t('export.csv')],
  ] as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          {t('export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('export.about')}</Menu.Label>
        {formats.map(([format, label]) => (
          <Menu.Item
            key={format}
            component="a"
            href={api.file('/panel/api/audit/export', { query: { ...query, format } })}
            download
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Events({ query, onClear }: { readonly query: AuditQuery; readonly onClear: () => void }) {
  const { t } = useTranslation('audit');
  const [since, setSince] = useState(0);
  const pages = useInfiniteQuery({ ...auditPages(query, since), placeholderData: keepPreviousData });
  const { columns, card } = useColumns();
  const rows = useMemo(() => pages.data?.pages.flatMap(({ events }) => events) ?? NO_ROWS, [pages.data]);
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages;
  const [last, setLast] = useState(0);
  const onRange = useCallback((_: number, to: number) => setLast(to), []);
  const pageCount = pages.data?.pages.length ?? 0;
  useEffect(() => {
    // A page may have no events although there are older ones, so the search continues with each page.
    const isNear = last >= rows.length - AHEAD;
    if (isNear && pageCount > 0 && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [last, rows.length, pageCount, hasNextPage, isFetching, isError, fetchNextPage]);
  const resetKey = useMemo(() => JSON.stringify([query, since]), [query, since]);
  const next = pages.data?.pages.at(-1)?.next ?? 0;
  return (
    <>
      <News query={query} head={pages.isPlaceholderData ? undefined : pages.data?.pages[0]?.head} onShow={setSince} />
      <Loaded query={pages} rows={12}>
        {() =>
          rows.length === 0 && !hasNextPage ? (
            <Empty
              icon={<IconHistory size={28} />}
              title={t('nothing.title')}
              body={t('nothing.body')}
              action={
                <Button variant="default" mt="sm" onClick={onClear}>
                  {t('clear')}
                </Button>
              }
            />
          ) : (
            <DataTable
              label={t('title')}
              columns={columns}
              rows={NO_ROWS}
              remote={{ count: rows.length, rowAt: (index) => rows[index], onRange, resetKey }}
              idOf={keyOf}
              sort={UNSORTED}
              onSort={noSort}
              card={card}
              cardHeight={108}
            />
          )
        }
      </Loaded>
      {pages.data && (
        <Progress
          next={hasNextPage ? next : 0}
          shown={rows.length}
          isBusy={isFetching}
          retry={isError ? fetchNextPage : null}
        />
      )}
    </>
  );
}

interface NewsProps {
  readonly query: AuditQuery;
  /** The newest event when the list was loaded. */
  readonly head: number | undefined;
  readonly onShow: (since: number) => void;
}

/** How many events came since the list was loaded. It does not move what is being read. */
function News({ query, head, onShow }: NewsProps) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const { data } = useQuery(auditNews(query, head));
  const count = data?.events.length ?? 0;
  // The log was replaced by a shorter one.
  const isOther = data !== undefined && head !== undefined && data.head < head;
  if (count === 0 && !isOther) return null;
  const number = count < MAX_NEWS ? format.number(count) : `${format.number(MAX_NEWS)}+`;
  return (
    <Button variant="light" size="xs" fullWidth className={classes['news'] ?? ''} onClick={() => onShow(Date.now())}>
      {isOther ? t('news.replaced') : t('news', { count, number })}
    </Button>
  );
}

interface ProgressProps {
  /** Everything from this position on was searched; 0 = everything. */
  readonly next: number;
  readonly shown: number;
  readonly isBusy: boolean;
  readonly retry: (() => unknown) | null;
}

/** How far the log was searched. */
function Progress({ next, shown, isBusy, retry }: ProgressProps) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const number = format.number(shown);
  return (
    <div className={classes['progress']}>
      <span role="status">
        {next === 0 ? t('shown', { count: shown, number }) : t('searched', { number, position: format.number(next) })}
      </span>
      {isBusy && <Loader size={14} aria-hidden />}
      {retry && shown > 0 && (
        <Button size="compact-xs" variant="default" onClick={() => void retry()}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}
