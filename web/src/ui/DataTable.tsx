import { useMediaQuery } from '@mantine/hooks';
import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import {
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { usePreferences } from '../shell/preferences';
import classes from './DataTable.module.css';

export interface Column<R> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: R) => ReactNode;
  /** What the column is sorted by; without it, it is not. */
  readonly value?: (row: R) => string | number;
  /** A track of a CSS grid, such as `minmax(10rem, 2fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** Always shown. */
  readonly isFixed?: boolean;
}

export interface Sort {
  readonly id: string;
  readonly desc: boolean;
}

interface Props<R> {
  /** What the table holds, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly idOf: (row: R) => string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly hidden?: ReadonlySet<string>;
  /** With it, each row has a checkbox. */
  readonly selection?: Selection | undefined;
  /** A row on a phone. */
  readonly card: (row: R) => ReactNode;
  readonly cardHeight?: number;
  /** Rows that the server filters, sorts and sends in pages; `rows` is not read then. */
  readonly remote?: RemoteRows<R> | undefined;
}

export interface RemoteRows<R> {
  readonly count: number;
  /** Undefined as long as its page is not there. */
  readonly rowAt: (index: number) => R | undefined;
  /** The rows in view changed. */
  readonly onRange: (first: number, last: number) => void;
  /** The table scrolls to its top when this changes. */
  readonly resetKey: string;
}

export interface Selection {
  readonly ids: Pick<ReadonlySet<string>, 'has' | 'size'>;
  readonly toggle: (id: string) => void;
  readonly toggleAll: () => void;
  readonly label: string;
}

const features = tableFeatures({ rowSortingFeature, columnVisibilityFeature, sortedRowModel: createSortedRowModel() });
const EMPTY: ReadonlySet<string> = new Set();
const REM = 16;
const PHONE = '(max-width: 48em)';

/**
 * A table of any length: only the rows in view are in the document. On a phone each row is a card. Cells hold plain
 * elements, because what sits in a row decides how smoothly it scrolls.
 */
export function DataTable<R extends RowData>({
  label,
  columns,
  rows,
  idOf,
  sort,
  onSort,
  hidden = EMPTY,
  selection,
  card,
  cardHeight = 92,
  remote,
}: Props<R>) {
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const [{ density }] = usePreferences();
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, R>();
    return columns.map(({ id, value }) =>
      helper.accessor((row): unknown => value?.(row), {
        id,
        enableSorting: value !== undefined,
        sortFn: (one, other) => compare(value?.(one.original), value?.(other.original)),
      }),
    );
  }, [columns]);
  const state = useMemo(
    () => ({
      sorting: [{ id: sort.id, desc: sort.desc }],
      columnVisibility: Object.fromEntries([...hidden].map((id) => [id, false])),
    }),
    [sort.id, sort.desc, hidden],
  );
  const table = useTable({ features, columns: definitions, data: rows as R[], state, getRowId: idOf });
  const sorted = table.getRowModel().rows;
  const count = remote ? remote.count : sorted.length;
  const rowAt = (index: number): R | undefined => (remote ? remote.rowAt(index) : sorted[index]?.original);
  const visible = useMemo(() => columns.filter(({ id }) => !hidden.has(id)), [columns, hidden]);

  const height = isPhone ? cardHeight : density === 'compact' ? 2.125 * REM : 2.75 * REM;
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => {
      const row = rowAt(index);
      return row === undefined ? index : idOf(row);
    },
    overscan: 8,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const items = virtualizer.getVirtualItems();
  useRemoteRange(remote, items[0]?.index ?? 0, items.at(-1)?.index ?? 0, scroller);

  const least = visible.reduce((sum, { width }) => sum + leastOf(width), selection ? 2.5 : 0);
  const tracks = [...(selection ? ['2.5rem'] : []), ...visible.map(({ width }) => width)].join(' ');
  return (
    <div ref={scroller} className={classes['scroller']} style={{ '--tracks': tracks }} tabIndex={-1}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={count + 1}
        className={classes['table']}
        style={{ minWidth: isPhone ? 0 : `${least}rem` }}
        data-cards={isPhone || undefined}
      >
        <Header
          columns={visible}
          sort={sort}
          onSort={onSort}
          selection={selection}
          count={count}
          isHidden={isPhone === true}
        />
        <div role="rowgroup" className={classes['body']} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start, key }) => (
            <Row
              key={key}
              index={index}
              place={{ transform: `translateY(${start}px)`, height }}
              row={rowAt(index)}
              idOf={idOf}
              selection={selection}
              columns={visible}
              card={isPhone ? card : null}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps<R> extends Pick<Props<R>, 'idOf' | 'selection' | 'columns'> {
  readonly index: number;
  readonly place: CSSProperties;
  readonly row: R | undefined;
  /** Null: the row is a line of cells. */
  readonly card: ((row: R) => ReactNode) | null;
}

function Row<R>({ index, place, row, idOf, selection, columns, card }: RowProps<R>) {
  const id = row === undefined ? undefined : idOf(row);
  const isSelected = selection && id !== undefined ? selection.ids.has(id) : undefined;
  return (
    <div role="row" aria-rowindex={index + 2} aria-selected={isSelected} className={classes['row']} style={place}>
      {selection && (
        <span role="cell" className={classes['check']}>
          {id !== undefined && (
            <input
              type="checkbox"
              aria-label={`${selection.label} ${id}`}
              checked={isSelected === true}
              onChange={() => selection.toggle(id)}
            />
          )}
        </span>
      )}
      {row === undefined ? (
        <span role="cell" className={classes['coming']} aria-busy="true" />
      ) : card ? (
        <Card row={row} card={card} />
      ) : (
        <Cells row={row} columns={columns} />
      )}
    </div>
  );
}

/** Tells which rows are in view, and scrolls to the top when others are shown. */
function useRemoteRange<R>(
  remote: RemoteRows<R> | undefined,
  first: number,
  last: number,
  scroller: RefObject<HTMLDivElement | null>,
): void {
  const { onRange, resetKey } = remote ?? {};
  useEffect(() => onRange?.(first, last), [onRange, first, last]);
  const shown = useRef(resetKey);
  useEffect(() => {
    if (shown.current !== resetKey) scroller.current?.scrollTo({ top: 0 });
    shown.current = resetKey;
  }, [resetKey, scroller]);
}

/** The least width of a track in rem. */
const leastOf = (track: string): number => Number(/([\d.]+)rem/.exec(track)?.[1] ?? 0);

function compare(one: string | number | undefined, other: string | number | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}

interface HeaderProps<R> extends Pick<Props<R>, 'columns' | 'sort' | 'onSort' | 'selection'> {
  readonly count: number;
  readonly isHidden: boolean;
}

function Header<R>({ columns, sort, onSort, selection, count, isHidden }: HeaderProps<R>) {
  const { t } = useTranslation('shell');
  return (
    <div role="row" aria-rowindex={1} className={classes['header']} data-hidden={isHidden || undefined}>
      {selection && (
        <span role="columnheader" className={classes['check']}>
          <input
            type="checkbox"
            aria-label={t('table.selectAll')}
            checked={selection.ids.size > 0 && selection.ids.size >= count}
            ref={(box) => {
              if (box) box.indeterminate = selection.ids.size > 0 && selection.ids.size < count;
            }}
            onChange={selection.toggleAll}
          />
        </span>
      )}
      {columns.map((column) => (
        <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
      ))}
    </div>
  );
}

function HeaderCell<R>({
  column,
  sort,
  onSort,
}: {
  readonly column: Column<R>;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}) {
  const isSorted = sort.id === column.id;
  const order = isSorted ? (sort.desc ? 'descending' : 'ascending') : 'none';
  return (
    <span
      role="columnheader"
      aria-sort={column.value ? order : undefined}
      className={classes['head']}
      data-number={column.isNumber || undefined}
    >
      {column.value ? (
        <button
          type="button"
          onClick={() => onSort({ id: column.id, desc: isSorted ? !sort.desc : column.isNumber === true })}
        >
          {column.header}
          {isSorted && (sort.desc ? <IconArrowDown size={14} aria-hidden /> : <IconArrowUp size={14} aria-hidden />)}
        </button>
      ) : (
        column.header
      )}
    </span>
  );
}

const Cells = memo(function Cells<R>({ row, columns }: { readonly row: R; readonly columns: readonly Column<R>[] }) {
  return columns.map((column) => (
    <span role="cell" key={column.id} className={classes['cell']} data-number={column.isNumber || undefined}>
      {column.cell(row)}
    </span>
  ));
}) as <R>(props: { readonly row: R; readonly columns: readonly Column<R>[] }) => ReactNode;

const Card = memo(function Card<R>({ row, card }: { readonly row: R; readonly card: (row: R) => ReactNode }) {
  return (
    <div role="cell" className={classes['card']}>
      {card(row)}
    </div>
  );
}) as <R>(props: { readonly row: R; readonly card: (row: R) => ReactNode }) => ReactNode;
