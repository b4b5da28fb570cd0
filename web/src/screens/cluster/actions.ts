import { useTranslation } from 'react-i18next';
import { ApiError, api } from '../../api/client';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { STALE } from './queries';

/** What an admin does with the whole cluster. */
export function useClusterActions() {
  const { t } = useTranslation('cluster');
  const verifying = useAction({
    stale: STALE,
    async run() {
      const found = await api.get('/panel/api/cluster/verify');
      if (!found.sound) throw new ApiError(found.problem, found.problemCode ?? '', 200);
      return { obj: found, msg: t('verified', { n: found.messages }) };
    },
  });
  const stepping = useAction({ stale: STALE, run: () => api.post('/panel/api/cluster/stepDown') });
  const handOver = (leader: string): void =>
    confirmLoss({
      title: t('handOver.title', { leader }),
      body: t('handOver.body', { leader }),
      action: t('handOver'),
      run: () => stepping.mutate(),
    });
  return { verifying, handOver };
}
