import { z } from 'zod';
import { Position, Time } from '../fields.js';
import { ClientNumber, HoldId } from '../ids.js';
import { defineEvent } from '../log/event.js';

const clients = z.array(ClientNumber).describe('Numbers of the clients.');
const details = z
  .strictObject({ reason: z.string().describe('Why, as the admin entered it; empty = not given.') })
  .describe('The reason.');
/** The reason may name a person, so it is sealed. */
const ofHold = { key: ({ hold }: { hold: number }) => holdKey(hold), erased: () => ({ reason: '' }) };
const ofClients = {
  key: (data: { clients: readonly number[] }) => `personal-data:${data.clients[0] ?? 0}`,
  erased: () => ({ reason: '' }),
};

/** The data key of the reasons of a legal hold. */
export const holdKey = (hold: number): string => `hold:${hold}`;

export const LegalHoldPlaced = defineEvent('LegalHoldPlaced', {
  summary:
    'A legal hold was placed on clients or on a period. Until it is released, their data is not erased and measurements of that time are not rolled up.',
  recordedBy: { PlaceLegalHold: 'an owner places a legal hold' },
  data: z.strictObject({
    hold: HoldId,
    clients: clients.describe('Numbers of the clients; empty = everything recorded in the period.'),
    from: Time.describe('Beginning of the period; 0 = from the first event.'),
    to: Time.describe('End of the period, inclusive; 0 = no end.'),
    details,
  }),
  stream: ({ hold }) => `hold-${hold}`,
  seal: { details: ofHold },
});

export const LegalHoldReleased = defineEvent('LegalHoldReleased', {
  summary: 'A legal hold was released. Data that is due is erased and rolled up again.',
  recordedBy: { ReleaseLegalHold: 'an owner releases a legal hold' },
  data: z.strictObject({ hold: HoldId, details }),
  stream: ({ hold }) => `hold-${hold}`,
  seal: { details: ofHold },
});

export const PersonalDataExported = defineEvent('PersonalDataExported', {
  summary: 'All data of a client was exported for the person whom it concerns.',
  recordedBy: { RecordPersonalDataExport: 'an admin exports the data of a client' },
  data: z.strictObject({
    clients,
    masked: z.boolean().describe('Whether credentials were masked in the export.'),
    position: Position.describe('The last event in the export.'),
  }),
  stream: () => 'personal-data',
});

export const PersonalDataErased = defineEvent('PersonalDataErased', {
  summary:
    'Certificate of erasure: the data keys of clients were destroyed at the request of an admin. Their personal data can no longer be read; traffic stays under their numbers.',
  recordedBy: { EraseClients: 'an admin erases a client, which may be deleted already' },
  data: z.strictObject({
    clients,
    keys: z.array(z.string()).describe('Names of the destroyed data keys.'),
    details,
  }),
  stream: () => 'personal-data',
  seal: { details: ofClients },
});

export const personalDataEvents = [
  LegalHoldPlaced,
  LegalHoldReleased,
  PersonalDataExported,
  PersonalDataErased,
] as const;
