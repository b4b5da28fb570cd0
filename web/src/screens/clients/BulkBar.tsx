import { Button, CloseButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../model/clients';
import { useFormat } from '../../ui/format';
import type { ClientActions } from './actions';
import classes from './Clients.module.css';

/** What can be done with the selected clients, and their totals. */
export function BulkBar({
  rows,
  actions,
  onClear,
}: {
  readonly rows: readonly ClientRow[];
  readonly actions: ClientActions;
  readonly onClear: () => void;
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const used = rows.reduce((sum, row) => sum + row.used, 0);
  return (
    <div className={classes['bulk']}>
      <span className="number">
        {t('selected', { count: rows.length, shown: format.number(rows.length), used: format.bytes(used) })}
      </span>
      <Button
        size="compact-sm"
        variant="default"
        loading={actions.isBusy}
        onClick={() => actions.setAllEnabled(rows, true)}
      >
        {t('enable')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={actions.isBusy}
        onClick={() => actions.setAllEnabled(rows, false)}
      >
        {t('disable')}
      </Button>
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        loading={actions.isBusy}
        onClick={() => actions.remove(rows, onClear)}
      >
        {t('delete')}
      </Button>
      <CloseButton size="sm" aria-label={t('clear')} onClick={onClear} />
    </div>
  );
}
