import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { InboundSummary, Posts } from '../../api/contract.generated';
import { UNDO_PATH, undoCommand } from '../../api/undo';
import { useFormat } from '../../ui/display/format';
import { saveFile } from '../../ui/display/save';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { toastDone, toastError } from '../../ui/feedback/toast';
import { bodyOf, draftOf } from './editor/draft';

export const STALE = [['inbounds']] as const;

export const nameOf = ({ id, remark }: Pick<InboundSummary, 'id' | 'remark'>): string => remark || `#${id}`;

/** What can be done with an inbound of the list. */
export function useInboundActions() {
  const { t } = useTranslation('inbounds');
  const format = useFormat();
  const may = useMay();
  const enable = (id: number, on: boolean) =>
    api.post('/panel/api/inbounds/setEnable/:id', { params: { id }, body: { enable: on } });
  const switching = useAction<{ readonly inbound: InboundSummary; readonly on: boolean }>({
    stale: STALE,
    run: ({ inbound, on }) => enable(inbound.id, on),
    undo: ({ inbound, on }) => enable(inbound.id, !on),
  });
  const removing = useAction<InboundSummary, Posts['/panel/api/inbounds/delete/:id']['reply']>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/inbounds/delete/:id', { params: { id } }),
    canUndo: () => may(UNDO_PATH) && may('/panel/api/inbounds/add'),
    undo: (_, { obj }) => undoCommand(obj.position),
  });
  const resetting = useAction<InboundSummary>({
    stale: STALE,
    run: ({ id }) => api.post('/panel/api/inbounds/:id/resetTraffic', { params: { id } }),
  });
  const cloning = useAction<InboundSummary>({ stale: STALE, run: clone });
  return {
    switchTo: (inbound: InboundSummary, on: boolean) => switching.mutate({ inbound, on }),
    clone: (inbound: InboundSummary) => cloning.mutate(inbound),
    exportOne: (inbound: InboundSummary) => {
      exported(inbound).then(() => toastDone(t('exported', { name: nameOf(inbound) })), toastError);
    },
    reset: (inbound: InboundSummary) =>
      confirmLoss({
        title: t('resetTitle', { name: nameOf(inbound) }),
        body: t('resetBody', { used: format.bytes(inbound.up + inbound.down) }),
        action: t('reset'),
        run: () => resetting.mutate(inbound),
      }),
    remove: (inbound: InboundSummary) =>
      confirmLoss({
        title: t('deleteTitle', { name: nameOf(inbound) }),
        body: t(inbound.clients === 0 ? 'deleteEmpty' : 'deleteBody', {
          count: inbound.clients,
          used: format.bytes(inbound.up + inbound.down),
        }),
        action: t('delete'),
        run: () => removing.mutate(inbound),
      }),
  };
}

/** A copy without clients on a free port, disabled until an admin has looked at it. */
async function clone({ id }: InboundSummary) {
  const [form, port] = await Promise.all([
    api.get('/panel/api/inbounds/overview/:id', { params: { id } }),
    api.get('/panel/api/inbounds/freePort', { query: { prefer: 0 } }),
  ]);
  const copy = { ...draftOf(form), remark: `${form.remark} 2`, port, tag: '', enable: false };
  return api.post('/panel/api/inbounds/add', { body: bodyOf(copy) });
}

/** Saves an inbound with its clients as a file that Import reads. */
async function exported(summary: InboundSummary): Promise<void> {
  const inbound = await api.get('/panel/api/inbounds/get/:id', { params: { id: summary.id } });
  const { clientStats: _stats, id: _id, userId: _user, nodeId: _node, ...rest } = inbound;
  const blob = new Blob([JSON.stringify(rest, null, 2)], { type: 'application/json' });
  saveFile(blob, `inbound-${nameOf(summary)}.json`);
}
