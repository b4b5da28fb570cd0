import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';

/** An inbound as a form edits it. The panel says over the WebSocket when it changed. */
export const inboundForm = (id: number) =>
  queryOptions({
    queryKey: ['inbounds', 'form', id],
    queryFn: ({ signal }) => api.get('/panel/api/inbounds/overview/:id', { params: { id }, signal }),
  });
