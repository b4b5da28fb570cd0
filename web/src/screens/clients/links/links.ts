import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { ClientRow } from '../../../api/contract.generated';
import { subscriptions } from '../../../api/queries';

/** A link with the name that people know it by. */
export interface ClientLink {
  readonly name: string;
  readonly link: string;
}

/** The addresses of the subscription of a client, one for each format that is switched on. */
export function useSubscription({ subId }: Pick<ClientRow, 'subId'>): readonly ClientLink[] {
  const { t } = useTranslation('clients');
  const { data } = useQuery(subscriptions);
  if (!data || subId === '') return [];
  const id = encodeURIComponent(subId);
  return [
    ...(data.subEnable ? [{ name: t('subscription'), link: data.subURI + id }] : []),
    ...(data.subJsonEnable ? [{ name: 'JSON', link: data.subJsonURI + id }] : []),
    // Its own address: the panel chooses the format for links by the app, and a browser or another app gets links.
    ...(data.subEnable ? [{ name: 'sing-box', link: `${data.subURI}${id}?format=sing-box` }] : []),
    ...(data.subClashEnable ? [{ name: 'Clash', link: data.subClashURI + id }] : []),
  ];
}

/** The share links of a client on one inbound. */
export function useClientLinks({ inboundId, email }: Pick<ClientRow, 'inboundId' | 'email'>) {
  return useQuery({
    queryKey: ['inbounds', 'links', inboundId, email],
    queryFn: ({ signal }) =>
      api.get('/panel/api/inbounds/getClientLinks/:id/:email', { params: { id: inboundId, email }, signal }),
  });
}

/** A share link, named by its protocol and the name in its fragment. */
export function named(link: string, index: number): ClientLink {
  const [protocol = ''] = link.split(':', 1);
  return { name: index === 0 ? protocol : `${protocol} ${index + 1}`, link };
}
