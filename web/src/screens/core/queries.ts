import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import { isObject, type JsonObject, parse } from './template';

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
