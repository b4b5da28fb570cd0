import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Done } from '../../api/client';
import { type ClientRow, clientKey, type WireClient } from '../../model/clients';
import { useAction } from '../../ui/action';
import { confirmLoss } from '../../ui/confirm';

const STALE = [['inbounds'], ['onlines']] as const;
/** Requests at a time when many clients change. */
const AT_ONCE = 4;

export interface ClientActions {
  readonly setEnabled: (row: ClientRow, enabled: boolean) => void;
  readonly setAllEnabled: (rows: readonly ClientRow[], enabled: boolean) => void;
  readonly reset: (row: ClientRow) => void;
  readonly remove: (rows: readonly ClientRow[], done?: () => void) => void;
  readonly isBusy: boolean;
}

/** Changes members of a client; the others stay as they are. */
export function update(row: ClientRow, changes: Partial<WireClient>): Promise<Done<unknown>> {
  const settings = JSON.stringify({ clients: [{ email: row.email, ...changes }] });
  return api.post('/panel/api/inbounds/updateClient/:clientId', {
    params: { clientId: clientKey(row) },
    body: { id: row.inbound.id, settings },
  });
}

/** Runs `work` for each row, a few at a time. The first refusal ends it and is thrown. */
async function forEach(
  rows: readonly ClientRow[],
  work: (row: ClientRow) => Promise<Done<unknown>>,
): Promise<Done<unknown>> {
  const left = [...rows];
  let last: Done<unknown> = { obj: null, msg: '' };
  const worker = async (): Promise<void> => {
    for (let row = left.shift(); row; row = left.shift()) last = await work(row);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return last;
}

interface Switching {
  readonly rows: readonly ClientRow[];
  readonly enabled: boolean;
}

export function useClientActions(): ClientActions {
  const { t } = useTranslation('clients');
  const switching = useAction<Switching>({
    stale: STALE,
    run: ({ rows, enabled }) => forEach(rows, (row) => update(row, { enable: enabled })),
    undo: ({ rows }) => forEach(rows, (row) => update(row, { enable: row.wire.enable !== false })),
    said: ({ rows, enabled }) => said(rows, enabled),
  });
  const resetting = useAction<ClientRow>({
    stale: STALE,
    run: ({ inbound, email }) =>
      api.post('/panel/api/inbounds/:id/resetClientTraffic/:email', { params: { id: inbound.id, email } }),
    undo: ({ email, stats: { up, down } }) =>
      api.post('/panel/api/inbounds/updateClientTraffic/:email', {
        params: { email },
        body: { upload: up, download: down },
      }),
  });
  const removing = useAction<readonly ClientRow[]>({
    stale: STALE,
    run: (rows) =>
      forEach(rows, ({ inbound, email }) =>
        api.post('/panel/api/inbounds/:id/delClientByEmail/:email', { params: { id: inbound.id, email } }),
      ),
  });
  const said = (rows: readonly ClientRow[], enabled: boolean): string => {
    const [first] = rows;
    if (rows.length === 1 && first) return t(enabled ? 'done.enabled' : 'done.disabled', { email: first.email });
    return t(enabled ? 'done.enabledMany' : 'done.disabledMany', { count: rows.length });
  };

  const { mutate: change } = switching;
  const { mutate: reset } = resetting;
  const { mutate: remove } = removing;
  return {
    setEnabled: useCallback((row, enabled) => change({ rows: [row], enabled }), [change]),
    setAllEnabled: useCallback((rows, enabled) => change({ rows, enabled }), [change]),
    reset: useCallback((row) => reset(row), [reset]),
    remove: useCallback(
      (rows, done) => {
        const [first] = rows;
        confirmLoss({
          title: t('deleteTitle', { count: rows.length }),
          body:
            rows.length === 1 ? t('deleteOne', { email: first?.email ?? '' }) : t('deleteMany', { count: rows.length }),
          action: t('delete'),
          run: () => remove(rows, done ? { onSuccess: done } : {}),
        });
      },
      [remove, t],
    ),
    isBusy: switching.isPending || removing.isPending,
  };
}
