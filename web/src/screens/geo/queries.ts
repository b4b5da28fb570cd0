import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

export const sources = queryOptions({
  queryKey: ['custom-geo', 'list'],
  queryFn: ({ signal }) => api.get('/panel/api/custom-geo/list', { signal }),
});

/** Every file that a routing rule can name, the built-in ones first. */
export const files = queryOptions({
  queryKey: ['custom-geo', 'aliases'],
  async queryFn({ signal }) {
    const { geoip, geosite } = await api.get('/panel/api/custom-geo/aliases', { signal });
    return [...(geoip ?? []), ...(geosite ?? [])];
  },
});

export const schedule = queryOptions({
  queryKey: ['settings', 'geo'],
  queryFn: async ({ signal }) => (await api.post('/panel/setting/all', { signal })).obj.geoUpdateSchedule,
});

export const STALE = [['custom-geo']] as const;
export type Source = Gets['/panel/api/custom-geo/list']['reply'][number];
export type File = NonNullable<Gets['/panel/api/custom-geo/aliases']['reply']['geoip']>[number];
