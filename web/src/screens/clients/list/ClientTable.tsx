import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import type { ClientRow } from '../../../api/contract.generated';
import { Problem } from '../../../ui/display/Page';
import { DataTable, type Selection } from '../../../ui/table/DataTable';
import type { TableProps } from '../../../ui/table/table-types';
import { type ShownList, useClientRows } from './pages';

interface Props extends Pick<TableProps<ClientRow>, 'columns' | 'sort' | 'onSort' | 'hidden' | 'card'> {
  readonly shown: ShownList;
  readonly selection: Selection;
}

/**
 * The rows of the list. A scroll loads pages: it renders this component, and not the filters above it. What the admin types
 * renders the filters, and not this component.
 */
export const ClientTable = memo(function ClientTable({ shown, selection, ...table }: Props) {
  const { t } = useTranslation('clients');
  const may = useMay();
  const { remote, problem, retry } = useClientRows(shown);
  return (
    <>
      {problem && <Problem error={problem} retry={retry} />}
      <DataTable
        label={t('title')}
        rows={NO_ROWS}
        remote={remote}
        idOf={idOf}
        {...(may('/panel/api/clients/change') ? { selection } : {})}
        cardHeight={104}
        {...table}
      />
    </>
  );
});

const NO_ROWS: readonly ClientRow[] = [];
const idOf = ({ id }: ClientRow): string => String(id);
