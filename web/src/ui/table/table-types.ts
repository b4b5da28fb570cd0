import type { ReactNode } from 'react';

export interface Column<R> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: R) => ReactNode;
  /** What the column is sorted by; without it, it is not. */
  readonly value?: (row: R) => string | number;
  /** A track of a CSS grid, such as `minmax(10rem, 2fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** What the cell holds always fits, or cuts itself off: the cell needs no clip, which would make a scroll slower. */
  readonly isWhole?: boolean;
  /** Always shown. */
  readonly isFixed?: boolean;
}

export interface Sort {
  readonly id: string;
  readonly desc: boolean;
}

export interface TableProps<R> {
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
