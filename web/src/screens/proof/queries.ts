import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

export type ProofStatus = Gets['/panel/api/proof/status']['reply'];
export type Sink = ProofStatus['sinks'][number];
export type SinkName = Sink['sink'];

/** Heads that the screen lists; the file has all of them. */
export const LISTED = 50;

export const proofStatus = queryOptions({
  queryKey: ['proof', 'status'],
  queryFn: ({ signal }) => api.get('/panel/api/proof/status', { signal }),
  // Deliveries are not pushed.
  refetchInterval: 5000,
});

/** The newest heads. `count`: of all heads, so that a new one is loaded. */
export const newestHeads = (count: number) =>
  queryOptions({
    queryKey: ['proof', 'heads', count],
    queryFn: ({ signal }) => api.get('/panel/api/proof/heads', { query: { newest: true, limit: LISTED }, signal }),
  });

export const STALE = [['proof'], ['settings']] as const;
