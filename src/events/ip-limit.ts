import { z } from 'zod';
import { ClientNumber } from './ids.js';
import { defineEvent } from './log/event.js';

/** Which addresses may stay when there are too many: those that came last, or those that were there first. */
export const keeps = ['newest', 'oldest'] as const;
export type Keep = (typeof keeps)[number];

/** Seconds: with a grace below that, requests that are over would count as addresses that are connected at once. */
export const LEAST_GRACE_S = 5;

const stream = (data: { client: number }) => `client-${data.client}`;

export const ClientIpsBlocked = defineEvent('ClientIpsBlocked', {
  summary:
    'A client was connected from more IP addresses than its limit allows, and the panel blocked the excess addresses for that client.',
  class: 'measured',
  data: z.strictObject({
    client: ClientNumber,
    /** How many addresses it may have at once. */
    limit: z.int().positive(),
    keep: z.enum(keeps),
    /** How long each of them had been there at least. */
    graceSeconds: z.int().nonnegative(),
    /** IPv4 addresses, and IPv6 networks as `2001:db8::/64`. */
    ips: z.strictObject({ allowed: z.array(z.string()), blocked: z.array(z.string()) }),
  }),
  stream,
  seal: {
    ips: { key: (data) => `client:${data.client}/addresses`, erased: () => ({ allowed: [], blocked: [] }) },
  },
});

export const ClientIpsUnblocked = defineEvent('ClientIpsUnblocked', {
  summary: 'The blocked IP addresses of a client were unblocked.',
  class: 'measured',
  data: z.strictObject({
    client: ClientNumber,
    /** One that was kept left; the limit is another one; its traffic was reset; its recorded addresses were cleared. */
    reason: z.enum(['left', 'changed', 'reset', 'cleared']),
  }),
  stream,
});

export const ipLimitEvents = [ClientIpsBlocked, ClientIpsUnblocked] as const;
