import { Button, CloseButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/format';
import type { ClientAction } from './actions';
import classes from './Clients.module.css';

const ACTIONS: readonly ClientAction[] = ['enable', 'disable', 'extend', 'addTraffic', 'reset', 'delete'];

/** What can be done with the selected clients. */
export function BulkBar({
  count,
  onAction,
  onClear,
}: {
  readonly count: number;
  readonly onAction: (action: ClientAction) => void;
  readonly onClear: () => void;
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (
    <div className={classes['bulk']} role="toolbar" aria-label={t('selected', { n: format.number(count) })}>
      <span className="number">{t('selected', { n: format.number(count) })}</span>
      {ACTIONS.map((action) => (
        <Button
          key={action}
          size="compact-sm"
          variant={action === 'delete' ? 'light' : 'default'}
          {...(action === 'delete' ? { color: 'red' } : {})}
          onClick={() => onAction(action)}
        >
          {t(`action.${action}`)}
        </Button>
      ))}
      <CloseButton size="sm" aria-label={t('clear')} onClick={onClear} />
    </div>
  );
}
