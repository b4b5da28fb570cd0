import { Button, CloseButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { useFormat } from '../../../ui/display/format';
import { type ClientAction, type ClientChange, useMayChange } from '../actions';
import classes from '../Clients.module.css';

const ACTIONS: readonly ClientAction[] = ['enable', 'disable', 'extend', 'addTraffic', 'reset', 'move', 'delete'];

/** What can be done with the selected clients. */
export function BulkBar({
  count,
  target,
  onAction,
  onClear,
}: {
  readonly count: number;
  readonly target: Omit<ClientChange, 'action'>;
  readonly onAction: (action: ClientAction) => void;
  readonly onClear: () => void;
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const used = useUsed(target);
  const mayChange = useMayChange();
  return (
    <div className={classes['bulk']} role="toolbar" aria-label={t('selected', { n: format.number(count) })}>
      <span className="number">
        {t('selected', { n: format.number(count) })}
        {used !== undefined && (
          <>
            {' · '}
            <bdi>{format.bytes(used)}</bdi>
          </>
        )}
      </span>
      {ACTIONS.filter(mayChange).map((action) => (
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
      <CloseButton size="md" aria-label={t('clear')} onClick={onClear} />
    </div>
  );
}

/** Bytes that the selected clients have used; the panel knows them also for rows that are not loaded. */
function useUsed(target: Omit<ClientChange, 'action'>): number | undefined {
  const [settled] = useDebouncedValue(target, 200);
  const body: ClientChange = { ...settled, action: 'reset', preview: true };
  const query = useQuery({
    queryKey: ['inbounds', 'clients', 'used', body],
    queryFn: async ({ signal }) => (await api.post('/panel/api/clients/change', { body, signal })).obj.used,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return query.data;
}
