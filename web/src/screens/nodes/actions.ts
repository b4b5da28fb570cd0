import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Node } from '../../api/contract.generated';
import { inbounds as inboundsQuery } from '../../api/queries';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';

export const STALE = [['nodes']] as const;
const setEnable = (id: number, enable: boolean) =>
  api.post('/panel/api/nodes/setEnable/:id', { params: { id }, body: { enable } });

/** What an admin does with a node that exists. */
export function useNodeActions(onDeleted?: () => void) {
  const { t } = useTranslation('nodes');
  const { data: inbounds = [] } = useQuery({ ...inboundsQuery, enabled: useMay()('/panel/api/inbounds/overview') });
  const switching = useAction<{ readonly node: Node; readonly on: boolean }>({
    stale: STALE,
    run: ({ node, on }) => setEnable(node.id, on),
    said: ({ node, on }) => t(on ? 'resumed' : 'paused', { name: node.name }),
    undo: ({ node, on }) => setEnable(node.id, !on),
  });
  const probing = useAction<Node>({
    stale: STALE,
    async run({ id, name }) {
      const { obj } = await api.post('/panel/api/nodes/probe/:id', { params: { id } });
      const msg =
        obj.status === 'online'
          ? t('test.online', { latency: obj.latencyMs, version: obj.coreVersion || '–' })
          : t('test.offline', { why: obj.error });
      return { obj, msg: `${name}: ${msg}` };
    },
  });
  const removing = useAction<Node>({
    stale: [['nodes'], ['inbounds']],
    async run({ id }) {
      const done = await api.post('/panel/api/nodes/del/:id', { params: { id } });
      // Before the list is read again: the screen of a node that is gone is "not found".
      onDeleted?.();
      return done;
    },
  });
  const remove = (node: Node): void => {
    const own = inbounds.filter(({ nodeId }) => nodeId === node.id);
    const clients = own.reduce((sum, { clients: its }) => sum + its, 0);
    const effect = own.length === 0 ? t('delete.idle') : t('delete.inbounds', { count: own.length, clients });
    const left = node.status === 'offline' && own.length > 0 ? ` ${t('delete.offline')}` : '';
    confirmLoss({
      title: t('delete.title', { name: node.name }),
      body: effect + left,
      action: t('delete'),
      run: () => removing.mutate(node),
    });
  };
  return { switching, probing, remove };
}
