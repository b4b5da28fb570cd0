import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

/** All settings with their sources. Values of secrets never leave the panel. */
export const sources = queryOptions({
  queryKey: ['settings', 'sources'],
  queryFn: ({ signal }) => api.get('/panel/api/setting/sources', { signal }),
});

/** What the panel finds in certificate files on its machine. */
export const certificate = (certFile: string, keyFile: string) =>
  queryOptions({
    queryKey: ['settings', 'certificate', certFile, keyFile],
    queryFn: async ({ signal }) =>
      (await api.post('/panel/api/setting/checkCertificate', { body: { certFile, keyFile }, signal })).obj,
    enabled: certFile !== '' || keyFile !== '',
  });
