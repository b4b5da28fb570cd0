import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client';
import type { Gets, Posts } from '../../../api/contract.generated';

export type LegalHold = Gets['/panel/api/personalData/holds']['reply'][number];
export type Certificate = Posts['/panel/api/personalData/erase/:email']['reply'];

export const holds = queryOptions({
  queryKey: ['personal-data', 'holds'],
  queryFn: ({ signal }) => api.get('/panel/api/personalData/holds', { signal }),
});
