import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

export type Webhook = Gets['/panel/api/webhooks/list']['reply'][number];
export type DeadLetter = Gets['/panel/api/webhooks/deadLetters/:id']['reply'][number];

export const webhooks = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: ({ signal }) => api.get('/panel/api/webhooks/list', { signal }),
  // Deliveries are not pushed.
  refetchInterval: 5000,
});

export const deadLetters = (id: number) =>
  queryOptions({
    queryKey: ['webhooks', 'deadLetters', id],
    queryFn: ({ signal }) => api.get('/panel/api/webhooks/deadLetters/:id', { params: { id }, signal }),
  });

export const eventTypes = queryOptions({
  queryKey: ['audit', 'types'],
  queryFn: ({ signal }) => api.get('/panel/api/audit/types', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const STALE = [['webhooks']] as const;
