import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';

type Reply = Gets['/panel/api/setting/setup']['reply'];

/** The steps of the first set-up, in their order. */
export const STEPS = ['password', 'basePath', 'certificate', 'inbound'] as const satisfies readonly (keyof Reply)[];
export type Step = (typeof STEPS)[number];

/** Which steps are done. A proxy in front of the panel may have the certificate. */
export const setup = queryOptions({
  queryKey: ['settings', 'setup'],
  queryFn: async ({ signal }) => {
    const steps = await api.get('/panel/api/setting/setup', { signal });
    return { ...steps, certificate: steps.certificate || window.location.protocol === 'https:' };
  },
});

/** The set-up is offered until the panel has a password of the admin and an inbound. */
export const isOffered = ({ password, inbound }: Reply): boolean => !password || !inbound;

const KEY = 'portolan.setup';

/** Whether the admin has hidden the offer in this browser. */
export function isHidden(): boolean {
  try {
    return localStorage.getItem(KEY) === 'hidden';
  } catch {
    // A browser may forbid storage.
    return false;
  }
}

export function hideOffer(): void {
  try {
    localStorage.setItem(KEY, 'hidden');
  } catch {
    // Then the offer comes back with the next visit.
  }
}
