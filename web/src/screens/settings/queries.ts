import { keepPreviousData, queryOptions } from '@tanstack/react-query';
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

interface PageTexts {
  readonly title: string;
  readonly announce: string;
  readonly supportUrl: string;
  readonly lang: string;
}

/** The subscription page with these texts, as HTML. */
export const preview = (texts: PageTexts) =>
  queryOptions({
    queryKey: ['settings', 'preview', texts],
    queryFn: async ({ signal }) =>
      (await api.post('/panel/api/setting/previewSubscriptionPage', { body: texts, signal })).obj,
    placeholderData: keepPreviousData,
  });
