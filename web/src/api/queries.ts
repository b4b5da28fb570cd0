import { queryOptions } from '@tanstack/react-query';
import { api } from './client';
import type { Posts } from './contract.generated';

/*
 * Queries that more than one screen reads. The first element of a key is the resource that an `invalidate` message of the
 * WebSocket names; a screen's own queries begin with it as well.
 */

/** All inbounds with their counters, without their clients: there may be many thousands. */
export const inbounds = queryOptions({
  queryKey: ['inbounds', 'overview'],
  queryFn: ({ signal }) => api.get('/panel/api/inbounds/overview', { signal }),
  staleTime: 60_000,
});

/** Begins the key of each page of clients. */
export const clientPages = ['inbounds', 'clients', 'page'] as const;

export type ClientQuery = Posts['/panel/api/clients/search']['body'];

/** One page of the clients of all inbounds: the server filters and sorts. A search may be a credential: it is in no URL. */
export const clientPage = (query: ClientQuery) =>
  queryOptions({
    queryKey: [...clientPages, query],
    queryFn: async ({ signal }) => (await api.post('/panel/api/clients/search', { body: query, signal })).obj,
    staleTime: 10_000,
    // A page that failed comes by itself once the panel answers again.
    refetchInterval: ({ state: { error } }) => (error ? 5000 : 20_000),
  });

/** The inbounds that can have clients, without these clients. */
export const clientInbounds = queryOptions({
  queryKey: ['inbounds', 'clients', 'inbounds'],
  queryFn: ({ signal }) => api.get('/panel/api/clients/inbounds', { signal }),
  staleTime: 60_000,
});

/** The clients of an email, one for each of its inbounds. */
export const clientDetails = (email: string) =>
  queryOptions({
    queryKey: ['inbounds', 'clients', 'details', email],
    queryFn: ({ signal }) => api.get('/panel/api/clients/:email/details', { params: { email }, signal }),
    refetchInterval: 10_000,
  });

/** Emails of the clients that are connected. */
export const onlines = queryOptions({
  queryKey: ['onlines'],
  queryFn: async ({ signal }) => new Set((await api.post('/panel/api/inbounds/onlines', { signal })).obj),
  refetchInterval: 10_000,
});

/** The machine and the core; pushed every two seconds. */
export const status = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => api.get('/panel/api/server/status', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The addresses of subscriptions, and the calendar. */
export const subscriptions = queryOptions({
  queryKey: ['settings', 'subscriptions'],
  queryFn: ({ signal }) => api.get('/panel/api/clients/subscriptions', { signal }),
  staleTime: 300_000,
});

export const nodes = queryOptions({
  queryKey: ['nodes', 'list'],
  queryFn: ({ signal }) => api.get('/panel/api/nodes/list', { signal }),
  refetchInterval: 15_000,
});

/** Members report about once a second, and reports are not pushed. */
const CLUSTER_MS = 3000;
/** A panel without a cluster gets one only by a restart. */
const ALONE_MS = 300_000;

export const clusterState = queryOptions({
  queryKey: ['cluster', 'state'],
  queryFn: ({ signal }) => api.get('/panel/api/cluster/state', { signal }),
  refetchInterval: ({ state: { data } }) => (data?.enabled === false ? ALONE_MS : CLUSTER_MS),
});

export const clusterMembers = queryOptions({
  queryKey: ['cluster', 'members'],
  queryFn: ({ signal }) => api.get('/panel/api/cluster/members', { signal }),
  refetchInterval: ({ state: { data } }) => (data?.length === 0 ? ALONE_MS : CLUSTER_MS),
});

export const backups = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => api.get('/panel/api/server/backups', { signal }),
  staleTime: 60_000,
});
