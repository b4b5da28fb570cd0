import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './DataTable.module.css';
import type { Column, Sort, TableProps } from './table-types';

interface HeaderProps<R> extends Pick<TableProps<R>, 'columns' | 'sort' | 'onSort' | 'selection'> {
  readonly count: number;
  readonly isHidden: boolean;
}

/** A page of rows that arrives renders the table, and not its header. */
export const Header = memo(function Header<R>({ columns, sort, onSort, selection, count, isHidden }: HeaderProps<R>) {
  const { t } = useTranslation('shell');
  return (
    <div role="row" aria-rowindex={1} className={classes['header']} data-hidden={isHidden || undefined}>
      {selection && (
        <span role="columnheader" className={classes['check']}>
          <label>
            <input
              type="checkbox"
              aria-label={t('table.selectAll')}
              checked={selection.ids.size > 0 && selection.ids.size >= count}
              ref={(box) => {
                if (box) box.indeterminate = selection.ids.size > 0 && selection.ids.size < count;
              }}
              onChange={selection.toggleAll}
            />
          </label>
        </span>
      )}
      {columns.map((column) => (
        <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
      ))}
    </div>
  );
}) as <R>(props: HeaderProps<R>) => ReactNode;

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
