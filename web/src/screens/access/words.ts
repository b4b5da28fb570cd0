import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { inbounds as inboundsQuery } from '../../api/queries';
import { useFormat } from '../../ui/display/format';
import type { Admin } from './queries';

/** The inbounds by number, named as in the list of inbounds. */
export function useInboundNames(): ReadonlyMap<number, string> {
  const { data = [] } = useQuery({ ...inboundsQuery, enabled: useMay()('/panel/api/inbounds/overview') });
  return new Map(data.map(({ id, remark, tag }) => [id, remark || tag]));
}

/** The inbounds and the quotas of an admin in one line; empty = none. */
export function useLimits({ inbounds, quotas }: Pick<Admin, 'inbounds' | 'quotas'>): string {
  const { t } = useTranslation('access');
  const format = useFormat();
  const names = useInboundNames();
  const { clients, totalBytes, clientBytes, days } = quotas;
  // A name may have letters of the other direction.
  const list = inbounds.map((id) => `\u2068${names.get(id) ?? `#${id}`}\u2069`).join(', ');
  return [
    inbounds.length > 0 ? t('limit.inbounds', { list }) : '',
    clients > 0 ? t('limit.clients', { count: clients }) : '',
    totalBytes > 0 ? t('limit.total', { size: format.bytes(totalBytes) }) : '',
    clientBytes > 0 ? t('limit.client', { size: format.bytes(clientBytes) }) : '',
    days > 0 ? t('limit.days', { count: days }) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
