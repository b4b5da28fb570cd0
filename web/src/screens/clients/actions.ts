import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api, type PostRequest } from '../../api/client';
import type { ClientRow, Permission, Posts } from '../../api/contract.generated';
import { type ClientDetails, type ClientInbound, clientKey, type WireClient } from '../../model/clients';
import { useFormat } from '../../ui/display/format';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';

export const STALE = [['inbounds'], ['onlines']] as const;

export type ClientChange = Posts['/panel/api/clients/change']['body'];
export type ClientAction = ClientChange['action'];
type Changed = Posts['/panel/api/clients/change']['reply'];

/**
 * A change of the settings of one client; absent members stay as they are. The panel refuses it if the client has another
 * version than `expectedVersion` meanwhile.
 */
export function updateRequest(
  { protocol, id }: Pick<ClientInbound, 'protocol' | 'id'>,
  wire: WireClient,
  changes: Partial<WireClient>,
  expectedVersion: string,
): PostRequest<unknown> {
  const settings = JSON.stringify({ clients: [{ email: wire.email, ...changes }] });
  return api.request('/panel/api/inbounds/updateClient/:clientId', {
    params: { clientId: clientKey(protocol, wire) },
    body: { id, settings, expectedVersion },
  });
}

/** A client of `details` as the API names its members. The contract declares it as any JSON object. */
export const wireOf = ({ client }: Pick<ClientDetails, 'client'>): WireClient => client as unknown as WireClient;

/** What the events of an action need. The route itself needs `clients:extend`. */
const NEEDED: Readonly<Record<ClientAction, readonly Permission[]>> = {
  enable: ['clients:update'],
  disable: ['clients:update'],
  reset: ['clients:reset'],
  extend: [],
  addTraffic: [],
  move: ['clients:create', 'clients:update', 'clients:delete'],
  delete: ['clients:delete'],
};

/** Which changes the role of the admin includes. */
export function useMayChange(): (action: ClientAction) => boolean {
  const may = useMay();
  return useCallback((action) => may('/panel/api/clients/change') && NEEDED[action].every(may), [may]);
}

interface Running {
  readonly body: ClientChange;
  /** The one client, if it is one: the toast names it. */
  readonly email?: string;
}

/** Runs a change of clients and offers to take it back. */
export function useChange() {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const may = useMay();
  return useAction<Running, Changed>({
    stale: STALE,
    run: ({ body }) => api.post('/panel/api/clients/change', { body }),
    canUndo: ({ obj: { undo } }) => undo !== null && may('/panel/api/clients/restore'),
    undo: (_, { obj: { undo } }) => api.post('/panel/api/clients/restore', { body: undo ?? {} }),
    said: ({ body: { action }, email }, { obj: { changed } }) =>
      email === undefined ? t(`doneMany.${action}`, { n: format.number(changed) }) : t(`done.${action}`, { email }),
  });
}

export interface ClientActions {
  readonly setEnabled: (row: ClientRow, enabled: boolean) => void;
  readonly reset: (row: ClientRow) => void;
  readonly remove: (row: ClientRow) => void;
}

/** What can be done with one client at once. */
export function useClientActions(): ClientActions {
  const { t } = useTranslation('clients');
  const { mutate: change } = useChange();
  return {
    setEnabled: useCallback(
      ({ id, email }, enabled) => change({ body: { action: enabled ? 'enable' : 'disable', clients: [id] }, email }),
      [change],
    ),
    reset: useCallback(({ id, email }) => change({ body: { action: 'reset', clients: [id] }, email }), [change]),
    remove: useCallback(
      ({ id, email }) =>
        confirmLoss({
          title: t('deleteTitle'),
          body: t('deleteOne', { email }),
          action: t('delete'),
          run: () => change({ body: { action: 'delete', clients: [id] }, email }),
        }),
      [change, t],
    ),
  };
}
