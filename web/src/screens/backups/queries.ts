import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

export type Check = NonNullable<Gets['/panel/api/server/restore']['reply']>;
export type Report = NonNullable<Check['report']>;
export type Import = NonNullable<Report['import']>;

const POLL_MS = 500;
export const isRunning = ({ phase }: Check): boolean => phase !== 'ready' && phase !== 'refused';

/** The check that this admin started: it survives a reload of the page. */
export const check = queryOptions({
  queryKey: ['backups', 'restore'],
  queryFn: ({ signal }) => api.get('/panel/api/server/restore', { signal }),
  staleTime: 0,
  refetchInterval: ({ state: { data } }) => (data && isRunning(data) ? POLL_MS : false),
});

export const STALE = [['backups']] as const;

/** Whether the chat bot is on; undefined where the role does not include the settings. */
export const chatBot = queryOptions({
  queryKey: ['settings', 'chatBot'],
  queryFn: async ({ signal }) => (await api.post('/panel/setting/defaultSettings', { signal })).obj.chatBotEnable,
});
