import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

export const account = queryOptions({
  queryKey: ['users', 'account'],
  queryFn: ({ signal }) => api.get('/panel/setting/account', { signal }),
});

export const factors = queryOptions({
  queryKey: ['users', 'factors'],
  queryFn: ({ signal }) => api.get('/panel/setting/factors', { signal }),
});
export type Factors = Gets['/panel/setting/factors']['reply'];

export const sessions = queryOptions({
  queryKey: ['users', 'sessions'],
  queryFn: ({ signal }) => api.get('/panel/setting/sessions', { signal }),
  // Logins and logouts are pushed. The times of use are those of when the list was opened.
  staleTime: 0,
});

export const STALE = [['users']] as const;
