import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

/** Machines ask every few seconds, and nothing is pushed. A follower without a leader cannot answer. */
export const joinRequests = queryOptions({
  queryKey: ['cluster', 'requests'],
  queryFn: ({ signal }) => api.get('/panel/api/cluster/requests', { signal }),
  refetchInterval: 3000,
  retry: false,
});

export const STALE = [['cluster']] as const;
