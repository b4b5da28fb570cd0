import { memo, type ReactNode, useLayoutEffect, useRef } from 'react';
import classes from './DataTable.module.css';
import type { Column, TableProps } from './table-types';

interface RowProps<R> extends Pick<TableProps<R>, 'selection' | 'columns'> {
  readonly index: number;
  /** The distance from the top of the table and the height, in px. */
  readonly start: number;
  readonly height: number;
  /** Undefined as long as the row is not loaded. */
  readonly row: R | undefined;
  readonly id: string | undefined;
  /** Null: the row is a line of cells. */
  readonly card: ((row: R) => ReactNode) | null;
}

/** Only rows that change are rendered: a scroll renders the table with each frame. */
export const Row = memo(function Row<R>({ index, start, height, row, id, selection, columns, card }: RowProps<R>) {
  const element = useRef<HTMLDivElement>(null);
  // The elements serve another row from now on: the focus must not act on it. Not when the effect ends, because React then
  // gives the focus back.
  useLayoutEffect(() => blurWithin(element.current), [id]);
  const isSelected = selection && id !== undefined ? selection.ids.has(id) : undefined;
  return (
    <div
      ref={element}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={classes['row']}
      style={{ top: start, height }}
    >
      {selection && (
        <span role="cell" className={classes['check']}>
          {id !== undefined && (
            <label>
              <input
                type="checkbox"
                aria-label={`${selection.label} ${id}`}
                checked={isSelected === true}
                onChange={() => selection.toggle(id)}
              />
            </label>
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
}) as <R>(props: RowProps<R>) => ReactNode;

function blurWithin(row: HTMLElement | null): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && row?.contains(activeElement)) activeElement.blur();
}

const Cells = memo(function Cells<R>({ row, columns }: { readonly row: R; readonly columns: readonly Column<R>[] }) {
  return columns.map((column) => (
    <span
      role="cell"
      key={column.id}
      className={classes['cell']}
      data-number={column.isNumber || undefined}
      data-whole={column.isWhole || undefined}
    >
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
