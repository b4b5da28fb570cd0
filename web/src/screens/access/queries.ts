import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { AccessToken, Admin, Gets, Permission } from '../../api/contract.generated';

export type { AccessToken, Admin };
export type Roles = Gets['/panel/api/roles/list']['reply'];
export type Role = Roles['roles'][number];
export type PermissionInfo = Roles['permissions'][number];
export type Scope = Role['grants'][number]['scope'];
export type { Permission };

export const admins = queryOptions({
  queryKey: ['users', 'admins'],
  queryFn: ({ signal }) => api.get('/panel/api/admins/list', { signal }),
});

export const sessionsOf = (admin: number) =>
  queryOptions({
    queryKey: ['users', 'sessions', admin],
    queryFn: ({ signal }) => api.get('/panel/api/admins/sessions/:id', { params: { id: admin }, signal }),
    // Logins and logouts are pushed. The times of use are those of when the list was opened.
    staleTime: 0,
  });

export const roles = queryOptions({
  queryKey: ['users', 'roles'],
  queryFn: ({ signal }) => api.get('/panel/api/roles/list', { signal }),
});

export const tokens = queryOptions({
  queryKey: ['users', 'tokens'],
  queryFn: ({ signal }) => api.get('/panel/api/tokens/list', { signal }),
  // The last use is not pushed.
  refetchInterval: 15_000,
});

export const apiToken = queryOptions({
  queryKey: ['settings', 'sources'],
  queryFn: ({ signal }) => api.get('/panel/api/setting/sources', { signal }),
});

/** The owner may change what they may do themselves. */
export const STALE = [['users'], ['me']] as const;
