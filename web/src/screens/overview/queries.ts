import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

const HOUR_MS = 3_600_000;

/** Certificates and refused inbounds. The key begins with `core`, which an `invalidate` message names. */
export const attention = queryOptions({
  queryKey: ['core', 'attention'],
  queryFn: ({ signal }) => api.get('/panel/api/server/attention', { signal }),
  refetchInterval: 5_000,
});

/** The clients with the most traffic since midnight. */
export const topToday = queryOptions({
  queryKey: ['inbounds', 'clients', 'top'],
  queryFn: ({ signal }) => api.get('/panel/api/clients/top', { signal }),
  refetchInterval: 20_000,
});

/** Releases are asked for once an hour; a server without a way to them is no problem of this screen. */
export const coreVersions = queryOptions({
  queryKey: ['core', 'versions'],
  queryFn: ({ signal }) => api.get('/panel/api/server/getCoreVersion', { signal }),
  staleTime: HOUR_MS,
  retry: false,
});

export const panelUpdate = queryOptions({
  queryKey: ['core', 'panelUpdate'],
  queryFn: ({ signal }) => api.get('/panel/api/server/getPanelUpdateInfo', { signal }),
  staleTime: HOUR_MS,
  retry: false,
});
