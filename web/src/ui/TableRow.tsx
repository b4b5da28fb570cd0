import { type CSSProperties, memo, type ReactNode } from 'react';
import classes from './DataTable.module.css';
import type { Column, TableProps } from './table-types';

interface RowProps<R> extends Pick<TableProps<R>, 'idOf' | 'selection' | 'columns'> {
  readonly index: number;
  readonly place: CSSProperties;
  readonly row: R | undefined;
  /** Null: the row is a line of cells. */
  readonly card: ((row: R) => ReactNode) | null;
}

export function Row<R>({ index, place, row, idOf, selection, columns, card }: RowProps<R>) {
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
