import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

export const account = queryOptions({
  queryKey: ['users', 'account'],
  queryFn: ({ signal }) => api.get('/panel/setting/account', { signal }),
});

export const sessions = queryOptions({
  queryKey: ['users', 'sessions'],
  queryFn: ({ signal }) => api.get('/panel/setting/sessions', { signal }),
  // A login elsewhere is not announced: the list is asked for whenever it is shown.
  staleTime: 0,
  refetchInterval: 20_000,
});

export const STALE = [['users']] as const;
export type Session = Gets['/panel/setting/sessions']['reply'][number];
