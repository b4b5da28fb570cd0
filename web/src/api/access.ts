import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from './client';
import { type Gets, PATHS, type Permission } from './contract.generated';
import { isUsable } from './moment';

type Me = Gets['/panel/api/admins/me']['reply'];
type PathsOf = typeof PATHS;

/** A path of the API that needs a permission. */
export type GuardedPath = PathsOf[keyof PathsOf][number];

/**
 * Whether the role of the admin includes a path of the API, at least for some clients. A permission is named only where the
 * body of a request decides which one it needs.
 */
export type May = (needed: GuardedPath | Permission) => boolean;

const permissionOf: ReadonlyMap<string, string> = new Map(
  Object.entries(PATHS).flatMap(([permission, paths]) => paths.map((path) => [path, permission] as const)),
);

/** The admin of this session with the role. It is loaded before the first screen. */
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => api.get('/panel/api/admins/me', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * While the role is not known, everything is shown: the panel refuses what the admin may not do. An earlier moment can only be
 * read.
 */
export function mayOf(admin: Me | undefined): May {
  // With a part of the audit log comes the event feed for programs, and no screen.
  const shown = admin?.grants.filter(({ permission, scope }) => scope === 'all' || permission.startsWith('clients:'));
  const granted = new Set(shown?.map(({ permission }) => permission));
  return (needed) => isUsable(needed) && (admin === undefined || granted.has(permissionOf.get(needed) ?? needed));
}

/** What the admin may do, to hide the rest and to send no request that the panel would refuse. */
export function useMay(): May {
  const { data } = useQuery(me);
  return useMemo(() => mayOf(data), [data]);
}
