import { z } from 'zod';
import { Time } from '../fields.js';
import { ClientNumber } from '../ids.js';
import { defineEvent } from '../log/event.js';

const client = ClientNumber;
const stream = (data: { client: number }) => `client-${data.client}`;

export const ClientIpsSeen = defineEvent('ClientIpsSeen', {
  summary: 'The IP addresses from which a client was connected were recorded.',
  recordedBy: {
    RecordClientIps: 'a poll of the core or of a node finds connected addresses that were not recorded recently',
    ImportPanel: 'the imported database has addresses of the client',
  },
  class: 'measured',
  data: z.strictObject({
    client,
    ips: z
      .array(
        z.strictObject({
          ip: z.string().describe('IPv4 or IPv6 address.'),
          seenAt: Time.describe('When the client was connected from it.'),
        }),
      )
      .describe('The addresses.'),
  }),
  stream,
  seal: { ips: { key: (data) => `client:${data.client}/addresses`, erased: () => [] } },
});

export const ClientIpsCleared = defineEvent('ClientIpsCleared', {
  summary: 'An admin cleared the recorded IP addresses of a client.',
  recordedBy: { ClearClientIps: 'an admin clears the addresses of the client' },
  data: z.strictObject({ client }),
  stream,
});
