import { z } from 'zod';
import { Count, oneOf } from './fields.js';
import { ClientNumber } from './ids.js';
import { defineEvent } from './log/event.js';

/** Which addresses stay allowed when a client has too many. */
export const keeps = ['newest', 'oldest'] as const;
export type Keep = (typeof keeps)[number];

/** In seconds. With a shorter grace period, requests that have ended would count as connected addresses. */
export const MIN_GRACE_S = 5;

const stream = (data: { client: number }) => `client-${data.client}`;

export const ClientIpsBlocked = defineEvent('ClientIpsBlocked', {
  summary:
    'A client was connected from more IP addresses than its limit allows, and the panel blocked the excess addresses for that client.',
  recordedBy: {
    LimitAddresses:
      'a poll finds too many addresses for longer than the grace period; also repeated before the retention window ends',
  },
  class: 'measured',
  data: z.strictObject({
    client: ClientNumber,
    limit: z
      .int()
      .positive()
      .meta({ unit: 'addresses', description: 'Number of addresses from which the client may be connected at once.' }),
    keep: oneOf({
      newest: 'the addresses that connected last',
      oldest: 'the addresses that connected first',
    }).describe('Which addresses stay allowed.'),
    graceSeconds: Count.meta({
      unit: 's',
      description: 'Grace period: how long an address must be connected to count.',
    }),
    ips: z
      .strictObject({
        allowed: z.array(z.string()).describe('Addresses that stay allowed.'),
        blocked: z.array(z.string()).describe('Addresses that are blocked.'),
      })
      .describe('IPv4 addresses, and IPv6 networks such as `2001:db8::/64`.'),
  }),
  stream,
  seal: {
    ips: { key: (data) => `client:${data.client}/addresses`, erased: () => ({ allowed: [], blocked: [] }) },
  },
});

export const ClientIpsUnblocked = defineEvent('ClientIpsUnblocked', {
  summary: 'The blocked IP addresses of a client were unblocked.',
  recordedBy: {
    LimitAddresses: 'a poll finds fewer addresses than the limit',
    UpdateClient: 'the limit of the client changed, or the client was enabled',
    ChangeClientTerms: 'several clients were enabled',
    UpdateInbound: 'the request changes the limit of a client or enables it',
    ResetClientTraffic: 'the traffic of the client was reset',
    ResetClientsTraffic: 'the traffic of the client was reset',
    ResetAllClientTraffic: 'the traffic of the client was reset',
    BeginPeriods: 'the traffic of the client was reset by a new period or a renewal',
    ClearClientIps: 'the recorded addresses of the client were cleared',
  },
  class: 'measured',
  data: z.strictObject({
    client: ClientNumber,
    reason: oneOf({
      left: 'an allowed address disconnected',
      changed: 'the limit changed, or the client was enabled',
      reset: 'the traffic was reset',
      cleared: 'the recorded addresses were cleared',
    }).describe('Why they were unblocked.'),
  }),
  stream,
});

export const ipLimitEvents = [ClientIpsBlocked, ClientIpsUnblocked] as const;
