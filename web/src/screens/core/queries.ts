import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { isObject, type JsonObject } from '../../model/json';
import { countriesOf, vpnServersOf } from './providers/provider-outbounds';
import { parse, pretty } from './template';

export interface Stored {
  readonly template: JsonObject;
  readonly testUrl: string;
  readonly inboundTags: readonly string[];
}

/** The template as it is stored, in whichever dialect the panel answers. */
export async function fetchStored(signal?: AbortSignal): Promise<Stored> {
  const { obj } = await api.post('/panel/core/', signal ? { signal } : {});
  if (typeof obj === 'string') {
    const reply = parse(obj) ?? {};
    const { xraySetting, inboundTags, outboundTestUrl } = reply;
    return {
      template: isObject(xraySetting) ? xraySetting : {},
      testUrl: String(outboundTestUrl ?? ''),
      inboundTags: Array.isArray(inboundTags) ? inboundTags.map(String) : [],
    };
  }
  return {
    template: parse(obj.coreSetting) ?? {},
    testUrl: obj.outboundTestUrl,
    inboundTags: (JSON.parse(obj.inboundTags) as readonly unknown[]).map(String),
  };
}

export const stored = queryOptions({ queryKey: ['core', 'template'], queryFn: ({ signal }) => fetchStored(signal) });

export const outboundTraffic = queryOptions({
  queryKey: ['outbounds', 'traffic'],
  queryFn: ({ signal }) => api.get('/panel/core/getOutboundsTraffic', { signal }),
  refetchInterval: 10_000,
});

export const versions = queryOptions({
  queryKey: ['core', 'versions'],
  queryFn: ({ signal }) => api.get('/panel/api/server/getCoreVersion', { signal }),
  staleTime: 600_000,
  retry: false,
});

export const running = queryOptions({
  queryKey: ['core', 'running'],
  queryFn: ({ signal }) => api.get('/panel/api/server/getConfigJson', { signal }),
});

/** The measurements of the core's observatory; empty without one. */
export const observatory = queryOptions({
  queryKey: ['core', 'observatory'],
  queryFn: ({ signal }) => api.get('/panel/api/server/coreObservatory', { signal }),
  refetchInterval: 10_000,
});

/** Installed versions of the core, its trial and its last rollback. */
export const versionState = queryOptions({
  queryKey: ['core', 'versionState'],
  queryFn: ({ signal }) => api.get('/panel/api/server/coreVersionState', { signal }),
});

/** Whether there is a newer version of the panel. */
export const panelUpdate = queryOptions({
  queryKey: ['core', 'panelUpdate'],
  queryFn: ({ signal }) => api.get('/panel/api/server/getPanelUpdateInfo', { signal }),
  staleTime: 3_600_000,
  retry: false,
});

/** What an action on the process of the core makes stale. */
export const STALE_STATE = [['status'], ['core'], ['onlines']] as const;

/** The stored registration with the WireGuard provider, as JSON; empty without one. It is asked for on its own tab only. */
export const registration = queryOptions({
  queryKey: ['settings', 'wgprov'],
  queryFn: async ({ signal }) =>
    (await api.post('/panel/core/wgprov/:action', { params: { action: 'data' }, body: {}, signal })).obj,
  gcTime: 0,
});

/** The stored account with the VPN provider, as JSON; empty without one. */
export const vpnAccount = queryOptions({
  queryKey: ['settings', 'vpnprov'],
  queryFn: async ({ signal }) =>
    (await api.post('/panel/core/vpnprov/:action', { params: { action: 'data' }, body: {}, signal })).obj,
  gcTime: 0,
});

export const vpnCountries = queryOptions({
  queryKey: ['vpn', 'countries'],
  queryFn: async ({ signal }) => {
    const params = { action: 'countries' } as const;
    return countriesOf((await api.post('/panel/core/vpnprov/:action', { params, body: {}, signal })).obj);
  },
  staleTime: 3_600_000,
  retry: false,
});

export const vpnServers = (countryId: string) =>
  queryOptions({
    queryKey: ['vpn', 'servers', countryId],
    queryFn: async ({ signal }) => {
      const params = { action: 'servers' } as const;
      return vpnServersOf((await api.post('/panel/core/vpnprov/:action', { params, body: { countryId }, signal })).obj);
    },
    staleTime: 60_000,
    retry: false,
  });

/** The dry run of a template: what it would make the core run, or why it is refused. */
export const checked = (template: JsonObject) =>
  queryOptions({
    queryKey: ['core', 'check', pretty(template)],
    queryFn: async ({ signal }) =>
      (await api.post('/panel/core/check', { body: { coreSetting: pretty(template) }, signal })).obj,
    retry: false,
    gcTime: 0,
  });
