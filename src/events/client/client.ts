import { z } from 'zod';
import { Bytes, Count, Down, KeyVersion, Time, Up } from '../fields.js';
import { ClientNumber, InboundId } from '../ids.js';
import { Depletion } from '../inbound/inbound.js';
import { defineEvent } from '../log/event.js';
import { ClientIpsCleared, ClientIpsSeen } from './client-ips.js';

/** Personal data of a client, sealed under the data key of its current credential. */
export const ClientIdentity = z
  .strictObject({
    email: z.string().min(1).describe('Name of the client; unique in its inbound.'),
    subId: z.string().describe('Secret id in the URL of its subscription.'),
    comment: z.string().describe('Comment of the admin.'),
    tgId: z.int().meta({ unit: 'id', description: 'Chat id of the client in the messenger; 0 = none.' }),
    extra: z
      .record(z.string(), z.json())
      .describe('Unknown members that a caller of the API sent. They are returned unchanged.'),
  })
  .meta({ typeName: 'ClientIdentity', description: 'Personal data of the client.' });
export type ClientIdentity = z.infer<typeof ClientIdentity>;

/** The secrets that authenticate a client. Each has its own data key; a rotation destroys the previous key. */
export const ClientCredential = z
  .strictObject({
    id: z.string().describe('UUID of a VLESS or VMess client.'),
    password: z.string().describe('Password of a Trojan or Shadowsocks client.'),
    auth: z.string().describe('Password of a Hysteria client.'),
  })
  .meta({ typeName: 'ClientCredential', description: 'The secrets that authenticate the client.' });
export type ClientCredential = z.infer<typeof ClientCredential>;

/** What an admin sets on a client, without its secrets. */
export const ClientSpec = z.strictObject({
  enabled: z.boolean().describe('Whether an admin allows the client to connect.'),
  capBytes: Bytes.describe(
    'Traffic cap: up plus down of all clients with its email; 0 = unlimited. `totalGB` in the API.',
  ),
  expiresAt: z.int().meta({
    unit: 'ms since 1970 UTC',
    description: 'When the client expires; 0 = never; negative = that many ms after its first use.',
  }),
  limitIp: z.int().nonnegative().meta({
    unit: 'addresses',
    description: 'Number of IP addresses from which it may be connected at once; 0 = unlimited.',
  }),
  flow: z.string().describe('Flow of a VLESS client, such as `xtls-rprx-vision`; empty = none.'),
  security: z.string().describe('Cipher of a VMess client.'),
  method: z.string().describe('Cipher of a Shadowsocks client; empty = that of the inbound.'),
  renewalDays: Count.meta({
    unit: 'days',
    description: 'The client is renewed automatically for this time; 0 = never.',
  }),
  reverseTag: z.string().describe('Tag of the reverse proxy of a VLESS client; empty = none.'),
});
export type ClientSpec = z.infer<typeof ClientSpec>;

const spec = ClientSpec.meta({ typeName: 'ClientSpec', description: 'What an admin sets on the client.' });
const client = ClientNumber;
const stream = (data: { client: number }) => `client-${data.client}`;
const key = (data: { client: number; keyVersion: number }) => `client:${data.client}/${data.keyVersion}`;
const identity = {
  key,
  erased: (data: { client: number }) => ({
    email: `erased-${data.client}`,
    subId: '',
    comment: '',
    tgId: 0,
    extra: {},
  }),
};
const credential = {
  key,
  erased: () => ({ id: '', password: '', auth: '' }),
};

export const ClientAdded = defineEvent('ClientAdded', {
  summary: 'A client was added to an inbound.',
  recordedBy: {
    AddClients: 'an admin or the directory sync adds a client',
    MoveClients: 'an admin moves a client to the inbound; it gets another number',
    AddInbound: 'an admin adds an inbound with clients',
    RestoreInbound: 'an admin undoes the deletion of an inbound; its clients get other numbers',
    UpdateInbound: 'an admin saves an inbound with a client that it did not have',
    ImportPanel: 'the imported database has the client',
  },
  data: z.strictObject({
    client,
    inbound: InboundId.describe('Number of its inbound.'),
    spec,
    identity: ClientIdentity,
    keyVersion: KeyVersion,
    credential: ClientCredential,
  }),
  stream,
  seal: { identity, credential },
});

export const ClientUpdated = defineEvent('ClientUpdated', {
  summary: 'The specification of a client changed. Only changed fields are listed.',
  recordedBy: {
    UpdateClient: 'an admin saves the client with another specification',
    ChangeClientTerms: 'an admin changes the terms of several clients, or undoes such a change',
    UpdateInbound: 'an admin saves the inbound with another specification of the client',
  },
  data: z.strictObject({
    client,
    changes: ClientSpec.partial().meta({ typeName: 'ClientSpec', description: 'The changed fields.' }),
  }),
  stream,
});

export const ClientIdentityChanged = defineEvent('ClientIdentityChanged', {
  summary: 'The email, subscription id or other personal data of a client changed.',
  recordedBy: {
    UpdateClient: 'an admin saves the client with other personal data',
    UpdateInbound: 'an admin saves the inbound with other personal data of the client',
  },
  data: z.strictObject({
    client,
    keyVersion: KeyVersion,
    emailChanged: z.boolean().describe('Whether the email changed. From here on the core counts under another name.'),
    identity: ClientIdentity,
  }),
  stream,
  seal: { identity },
});

export const ClientCredentialRotated = defineEvent('ClientCredentialRotated', {
  summary:
    'A client got a new id, password or auth. The previous data key is destroyed, and with it all personal data recorded under it.',
  recordedBy: {
    UpdateClient: 'an admin saves the client with another id, password or auth',
    UpdateInbound: 'an admin saves the inbound with another id, password or auth of the client',
  },
  data: z.strictObject({
    client,
    keyVersion: KeyVersion,
    identity: ClientIdentity,
    credential: ClientCredential,
  }),
  stream,
  seal: { identity, credential },
});

export const ClientDeleted = defineEvent('ClientDeleted', {
  summary: 'A client was deleted. Its data can be read until its data keys are destroyed.',
  recordedBy: {
    DeleteClient: 'an admin or the directory sync deletes the client',
    DeleteClients: 'an admin deletes several clients',
    MoveClients: 'an admin moves the client to another inbound, where it has another number',
    DeleteDepletedClients: 'an admin deletes all depleted clients',
    DeleteInbound: 'an admin deletes the inbound',
    EraseClients: 'an admin erases the client',
    UpdateInbound: 'an admin saves the inbound without the client',
  },
  data: z.strictObject({ client, inbound: InboundId.describe('Number of its inbound.') }),
  stream,
});

export const ClientDepleted = defineEvent('ClientDepleted', {
  summary: 'A client reached its cap or its expiry and was disconnected.',
  recordedBy: {
    RecordTraffic: 'the recorded traffic reaches the cap',
    RecordNodeTraffic: 'the recorded traffic of a node reaches the cap',
    DepleteExpired: 'the expiry has passed; checked with each poll',
    AddClients: 'the traffic of the other clients with its email reaches the cap',
    MoveClients: 'the client was depleted before it was moved to another inbound',
    AddInbound: 'the traffic of the other clients with its email reaches the cap',
    RestoreInbound: 'the client comes back with its deleted inbound, and a limit is reached',
    UpdateClient: 'an admin saves the client with a cap, expiry or email by which a limit is reached',
    ChangeClientTerms: 'an admin changes the terms of several clients, and a limit is reached',
    UpdateInbound: 'an admin saves the inbound with a cap, expiry or email of the client by which a limit is reached',
    AdjustClientTraffic: 'an admin sets the counters to the cap or more',
    AdjustClientsTraffic: 'an admin undoes a reset of several clients that had reached their caps',
    RecountTraffic: 'after a recount the client has reached its cap',
    ResetClientTraffic: 'the traffic is reset, but the expiry has passed',
    ResetClientsTraffic: 'the traffic is reset, but the expiry has passed',
    ResetAllClientTraffic: 'the traffic is reset, but the expiry has passed',
    BeginPeriods: 'a new period resets the traffic, but the expiry has passed',
    ImportPanel: 'the cap or expiry of the imported client is reached',
  },
  data: z.strictObject({ client, depletion: Depletion }),
  stream,
});

export const ClientReactivated = defineEvent('ClientReactivated', {
  summary: 'A depleted client is below its cap and before its expiry again.',
  recordedBy: {
    UpdateClient: 'an admin saves the client with a higher cap or a later expiry, or enables it',
    ChangeClientTerms: 'an admin raises the caps, extends the expiries of several clients, or enables them',
    UpdateInbound: 'an admin saves the inbound with a higher cap or a later expiry of the client',
    AdjustClientTraffic: 'an admin sets the counters below the cap',
    AdjustClientsTraffic: 'an admin undoes a reset, with counters below the cap',
    RecountTraffic: 'after a recount the client is below its cap',
    ResetClientTraffic: 'an admin resets the traffic of the client',
    ResetClientsTraffic: 'an admin resets the traffic of several clients',
    ResetAllClientTraffic: 'an admin resets the traffic of all clients',
    BeginPeriods: 'a new period or a renewal starts',
  },
  data: z.strictObject({ client }),
  stream,
});

export const ClientTrafficReset = defineEvent('ClientTrafficReset', {
  summary: 'The counters of a client were set to 0.',
  recordedBy: {
    ResetClientTraffic: 'an admin resets the traffic of the client',
    ResetClientsTraffic: 'an admin resets the traffic of several clients',
    ResetAllClientTraffic: 'an admin resets the traffic of all clients',
    BeginPeriods: 'a new period of the inbound or a renewal of the client starts',
  },
  data: z.strictObject({
    client,
    up: Up.describe('Bytes up before the reset.'),
    down: Down.describe('Bytes down before the reset.'),
  }),
  stream,
});

export const ClientTrafficAdjusted = defineEvent('ClientTrafficAdjusted', {
  summary: 'An admin set the counters of a client.',
  recordedBy: {
    AdjustClientTraffic:
      'an admin sets the counters; one of the clients with the email gets the values, the others get 0',
    AdjustClientsTraffic: 'an admin undoes a reset or a deletion of several clients',
    RecountTraffic: 'the operator applies a recount under other rules',
    RestoreInbound: 'an admin undoes the deletion of its inbound',
  },
  data: z.strictObject({
    client,
    up: Up.describe('The new bytes up.'),
    down: Down.describe('The new bytes down.'),
    before: z
      .strictObject({ up: Up.describe('The previous bytes up.'), down: Down.describe('The previous bytes down.') })
      .describe('The previous counters.'),
  }),
  stream,
});

export const ClientTrafficTransferred = defineEvent('ClientTrafficTransferred', {
  summary:
    'A client no longer has its email. The bytes that it had used were transferred to another client with that email.',
  recordedBy: {
    UpdateClient: 'the email of a client changes and other clients keep the previous email',
    UpdateInbound: 'the request deletes or renames a client that shares its email',
    DeleteClient: 'a client is deleted that shares its email',
    DeleteClients: 'a client is deleted that shares its email',
    DeleteDepletedClients: 'a client is deleted that shares its email',
    MoveClients: 'a client is moved to another inbound, and its bytes go along',
    DeleteInbound: 'a client is deleted that shares its email with a client of another inbound',
    RecordNodeTraffic: 'a node reports traffic of a client that was deleted after a transfer',
  },
  data: z.strictObject({
    client: client.describe('Number of the client that gets the bytes.'),
    fromClient: client.describe('Number of the client that no longer has the email. Its counters are 0 from here on.'),
    up: Up.describe('Bytes up that were transferred.'),
    down: Down.describe('Bytes down that were transferred.'),
  }),
  stream,
});

export const ClientExpiryStarted = defineEvent('ClientExpiryStarted', {
  summary: 'The first traffic of a client started its expiry period.',
  recordedBy: {
    RecordTraffic: 'the first traffic of the client is recorded',
    RecordNodeTraffic: 'the first traffic of the client on a node is recorded',
  },
  data: z.strictObject({ client, expiresAt: Time.describe('When the client expires.') }),
  stream,
});

export const ClientRenewed = defineEvent('ClientRenewed', {
  summary: 'The expiry of a client passed and the panel renewed the client automatically.',
  recordedBy: { BeginPeriods: 'the expiry has passed and `renewalDays` is set; checked with each poll' },
  data: z.strictObject({
    client,
    previousExpiresAt: Time.describe('The expiry that has passed.'),
    expiresAt: Time.describe('The new expiry.'),
  }),
  stream,
});

export const clientEvents = [
  ClientAdded,
  ClientUpdated,
  ClientIdentityChanged,
  ClientCredentialRotated,
  ClientDeleted,
  ClientDepleted,
  ClientReactivated,
  ClientTrafficReset,
  ClientTrafficAdjusted,
  ClientTrafficTransferred,
  ClientExpiryStarted,
  ClientRenewed,
  ClientIpsSeen,
  ClientIpsCleared,
] as const;
