import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from './client';
import type { Gets, Permission } from './contract.generated';

type Me = Gets['/panel/api/admins/me']['reply'];

/** Whether the role of the admin includes a permission, at least for some clients. */
export type May = (permission: Permission) => boolean;

/** The admin of this session with the role. It is loaded before the first screen. */
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.get('/panel/api/admins/me', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** While the role is not known, everything is shown: the panel refuses what the admin may not do. */
export function mayOf(admin: Me | undefined): May {
  const granted = new Set(admin?.grants.map(({ permission }) => permission));
  return (permission) => admin === undefined || granted.has(permission);
}

/** What the admin may do, to hide the rest and to send no request that the panel would refuse. */
export function useMay(): May {
  const { data } = useQuery(me);
  return useMemo(() => mayOf(data), [data]);
}
