import { useMediaQuery } from '@mantine/hooks';
import {
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type Range, useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { usePreferences } from '../../shell/preferences';
import classes from './DataTable.module.css';
import { Header } from './TableHeader';
import { Row } from './TableRow';
import type { TableProps } from './table-types';

export type { Column, RemoteRows, Selection, Sort } from './table-types';

const features = tableFeatures({ rowSortingFeature, columnVisibilityFeature, sortedRowModel: createSortedRowModel() });
const EMPTY: ReadonlySet<string> = new Set();
const REM = 16;
/** Rows above and below the view. */
const OVERSCAN = 3;
const PHONE = '(max-width: 48em)';

/** A table with more rows than this is higher than any window. */
const LONG = 100;

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
}: TableProps<R>) {
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const [{ density }] = usePreferences();
  const sorted = useSortedRows({ columns, rows, idOf, sort, hidden });
  const count = remote ? remote.count : sorted.length;
  const visible = useMemo(() => columns.filter(({ id }) => !hidden.has(id)), [columns, hidden]);
  const height = isPhone ? cardHeight : density === 'compact' ? 2.125 * REM : 2.75 * REM;
  const least = visible.reduce((sum, { width }) => sum + leastOf(width), selection ? 2.5 : 0);
  const tracks = [...(selection ? ['2.5rem'] : []), ...visible.map(({ width }) => width)].join(' ');
  return (
    <div
      ref={scroller}
      className={classes['scroller']}
      style={{ '--tracks': tracks }}
      data-long={count > LONG || undefined}
      tabIndex={-1}
    >
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
        <Body
          {...{ scroller, height, count, idOf, selection, remote }}
          rowAt={remote ? remote.rowAt : (index) => sorted[index]?.original}
          columns={visible}
          card={isPhone ? card : null}
        />
      </div>
    </div>
  );
}

type Item = Pick<VirtualItem, 'index' | 'start'>;

interface BodyProps<R> extends Pick<TableProps<R>, 'idOf' | 'selection' | 'columns' | 'remote'> {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Of a row, in px. */
  readonly height: number;
  readonly count: number;
  readonly rowAt: (index: number) => R | undefined;
  readonly card: ((row: R) => ReactNode) | null;
}

/** The rows in view. A scroll renders this component alone, with each frame. */
function Body<R>({ scroller, height, count, rowAt, idOf, selection, columns, card, remote }: BodyProps<R>) {
  const virtualizer: Virtualizer<HTMLDivElement, Element> = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // No `getItemKey`: a new function at each render would measure all rows again.
    overscan: OVERSCAN,
    rangeExtractor: (range) => shownRows(range, slots()),
  });
  /** How many rows are in the document: the number changes with the height of the window only. */
  const slots = (): number => Math.ceil((virtualizer.scrollRect?.height ?? 0) / height) + 1 + 2 * OVERSCAN;
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const isAnotherList = useScrollToTop(virtualizer, remote?.resetKey);
  const items: readonly Item[] = isAnotherList
    ? shownRows({ startIndex: 0, count, overscan: OVERSCAN }, slots()).map((index) => ({
        index,
        start: index * height,
      }))
    : virtualizer.getVirtualItems();
  const body = useRef<HTMLDivElement>(null);
  const isMoving = virtualizer.isScrolling && !body.current?.contains(document.activeElement);
  const { onRange } = remote ?? {};
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onRange?.(first, last), [onRange, first, last]);
  // A row that leaves the view gives its elements to one that comes into it: new elements make a scroll slow. So do moved
  // ones, so they stay where they are in the document until the scroll ends. At rest, and around the focus, they are in the
  // order that screen readers and the Tab key need.
  const keyOf = ({ index }: Item): number => index % items.length;
  const inOrder = isMoving ? items.toSorted((one, other) => keyOf(one) - keyOf(other)) : items;
  return (
    <div ref={body} role="rowgroup" className={classes['body']} style={{ height: virtualizer.getTotalSize() }}>
      {inOrder.map((item) => {
        const { index, start } = item;
        const row = rowAt(index);
        const id = row === undefined ? undefined : idOf(row);
        return <Row key={keyOf(item)} {...{ index, start, height, row, id, selection, columns, card }} />;
      })}
    </div>
  );
}

/** The rows in view and around it: always as many, so that each row that comes into view gets the elements of another. */
function shownRows({ startIndex, count, overscan }: Omit<Range, 'endIndex'>, slots: number): number[] {
  const length = Math.min(count, slots);
  const first = Math.max(0, Math.min(startIndex - overscan, count - length));
  return Array.from({ length }, (_, index) => first + index);
}

/** The rows in the order of a column, where the browser sorts them. */
function useSortedRows<R extends RowData>({
  columns,
  rows,
  idOf,
  sort,
  hidden,
}: Pick<TableProps<R>, 'columns' | 'rows' | 'idOf' | 'sort'> & { readonly hidden: ReadonlySet<string> }) {
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
  return table.getRowModel().rows;
}

/**
 * Scrolls to the top when the key changes. True while the rows of the new list are rendered: they are those at the top from
 * the start, because the scroll that follows would render all of them at once.
 */
function useScrollToTop(virtualizer: Virtualizer<HTMLDivElement, Element>, key: string | undefined): boolean {
  const shown = useRef(key);
  useLayoutEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    // The event of the scroll comes with the next frame. A render before it must not show the former rows.
    virtualizer.scrollOffset = 0;
    virtualizer.scrollElement?.scrollTo({ top: 0 });
  }, [key, virtualizer]);
  return shown.current !== key;
}

/** The least width of a track in rem. */
const leastOf = (track: string): number => Number(/([\d.]+)rem/.exec(track)?.[1] ?? 0);

function compare(one: string | number | undefined, other: string | number | undefined): number {
  if (one === other || one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}
