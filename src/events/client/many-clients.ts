import { z } from 'zod';
import { Down, place, Up } from '../fields.js';
import { ClientNumber, InboundId } from '../ids.js';
import { defineEvent } from '../log/event.js';
import { ClientSpec } from './client.js';

/**
 * Clients whose numbers differ only in the last two hexadecimal digits share a stream for events about many clients. So such
 * an event stays small, and the history of a client is in its own stream and in one other.
 */
const CLIENTS_IN_STREAM = 256;

/** The stream of events about many clients in which a client can be. */
export const streamOfMany = (client: number): string => `clients-${Math.floor(client / CLIENTS_IN_STREAM)}`;

const stream = ({ clients: [first] }: { clients: readonly (readonly [number, ...unknown[]])[] }) =>
  streamOfMany(first?.[0] ?? 0);
const client = place('client', ClientNumber);

export const ClientsUpdated = defineEvent('ClientsUpdated', {
  summary: 'The specifications of many clients changed: `ClientUpdated` of each of them, as one event.',
  recordedBy: {
    ChangeClientTerms: 'an admin changes the terms of several clients, or undoes such a change',
    UpdateInbound: 'an admin saves the inbound with other specifications of its clients',
  },
  data: z.strictObject({
    clients: z
      .array(
        z.tuple([
          client,
          place(
            'changes',
            ClientSpec.partial().meta({ typeName: 'ClientSpec', description: 'The changed fields of the client.' }),
          ),
        ]),
      )
      .describe('The clients. Their numbers, divided by 256, have the same integer part.'),
  }),
  stream,
});

export const ClientsDeleted = defineEvent('ClientsDeleted', {
  summary: 'Many clients were deleted: `ClientDeleted` of each of them, as one event.',
  recordedBy: {
    DeleteClients: 'an admin deletes several clients',
    DeleteDepletedClients: 'an admin deletes all depleted clients',
    DeleteInbound: 'an admin deletes the inbound',
    EraseClients: 'an admin erases a person with many clients',
    UpdateInbound: 'an admin saves the inbound without the clients',
  },
  data: z.strictObject({
    clients: z
      .array(z.tuple([client, place('inbound', InboundId.describe('Number of its inbound.'))]))
      .describe('The clients. Their numbers, divided by 256, have the same integer part.'),
  }),
  stream,
});

export const ClientsTrafficReset = defineEvent('ClientsTrafficReset', {
  summary: 'The counters of many clients were set to 0: `ClientTrafficReset` of each of them, as one event.',
  recordedBy: {
    ResetClientTraffic: 'an admin resets the traffic of a client that shares its email with many others',
    ResetClientsTraffic: 'an admin resets the traffic of several clients',
    ResetAllClientTraffic: 'an admin resets the traffic of all clients',
    BeginPeriods: 'a new period of the inbound or a renewal of a client starts',
  },
  data: z.strictObject({
    clients: z
      .array(
        z.tuple([
          client,
          place('up', Up.describe('Bytes up before the reset.')),
          place('down', Down.describe('Bytes down before the reset.')),
        ]),
      )
      .describe('The clients. Their numbers, divided by 256, have the same integer part.'),
  }),
  stream,
});

export const manyClientEvents = [ClientsUpdated, ClientsDeleted, ClientsTrafficReset] as const;
