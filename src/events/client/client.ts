import { z } from 'zod';
import { Bytes, ClientNumber, InboundId, Time } from '../ids.js';
import { Depletion } from '../inbound/inbound.js';
import { defineEvent } from '../log/event.js';

/** Who the client is: personal data, sealed under the key of the credential that is valid at that time. */
export const ClientIdentity = z.strictObject({
  email: z.string().min(1),
  subId: z.string(),
  comment: z.string(),
  /** Chat id of the client in the bot; 0 = none. */
  tgId: z.int(),
  /** Members that a caller sent and the panel does not know; they are given back as they came. */
  extra: z.record(z.string(), z.json()),
});
export type ClientIdentity = z.infer<typeof ClientIdentity>;

/** What lets the client in. Each credential life has a key of its own; rotation destroys the one before. */
export const ClientCredential = z.strictObject({ id: z.string(), password: z.string(), auth: z.string() });
export type ClientCredential = z.infer<typeof ClientCredential>;

/** What an admin sets on a client, without its secrets. */
export const ClientSpec = z.strictObject({
  enabled: z.boolean(),
  /** Cap over up and down; 0 = none. `totalGB` on the wire, though it holds bytes. */
  capBytes: Bytes,
  /** Milliseconds since 1970; 0 = never; negative = a duration that starts with the first use. */
  expiresAt: z.int(),
  /** Concurrent addresses; 0 = any number. */
  limitIp: z.int().nonnegative(),
  flow: z.string(),
  /** Cipher of a vmess client. */
  security: z.string(),
  /** Cipher of a classic shadowsocks client; empty = the inbound's. */
  method: z.string(),
  /** Auto-renew period in days; 0 = none. */
  renewalDays: z.int().nonnegative(),
  reverseTag: z.string(),
});
export type ClientSpec = z.infer<typeof ClientSpec>;

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
  data: z.strictObject({
    client,
    inbound: InboundId,
    spec: ClientSpec,
    identity: ClientIdentity,
    /** Counts the credentials of this client. */
    keyVersion: z.int().positive(),
    credential: ClientCredential,
  }),
  stream,
  seal: { identity, credential },
});

export const ClientUpdated = defineEvent('ClientUpdated', {
  summary: 'What an admin sets on a client changed; only what changed is named.',
  data: z.strictObject({ client, changes: ClientSpec.partial() }),
  stream,
});

export const ClientIdentityChanged = defineEvent('ClientIdentityChanged', {
  summary: 'The email, the subscription id or another personal field of a client changed.',
  data: z.strictObject({
    client,
    keyVersion: z.int().positive(),
    /** Whether the core counts under another name from here on. The name itself is sealed. */
    emailChanged: z.boolean(),
    identity: ClientIdentity,
  }),
  stream,
  seal: { identity },
});

export const ClientCredentialRotated = defineEvent('ClientCredentialRotated', {
  summary: 'A client got a new id, password or auth; the old one is destroyed, and with it all that its key sealed.',
  data: z.strictObject({
    client,
    keyVersion: z.int().positive(),
    identity: ClientIdentity,
    credential: ClientCredential,
  }),
  stream,
  seal: { identity, credential },
});

export const ClientDeleted = defineEvent('ClientDeleted', {
  summary: 'A client was deleted. Its data can be read until its keys are destroyed.',
  data: z.strictObject({ client, inbound: InboundId }),
  stream,
});

export const ClientDepleted = defineEvent('ClientDepleted', {
  summary: 'A client reached its cap or its expiry and was disconnected.',
  data: z.strictObject({ client, depletion: Depletion }),
  stream,
});

export const ClientReactivated = defineEvent('ClientReactivated', {
  summary: 'A depleted client is below its cap and before its expiry again.',
  data: z.strictObject({ client }),
  stream,
});

export const ClientTrafficReset = defineEvent('ClientTrafficReset', {
  summary: 'The counters of a client were set to zero; the event says what they were.',
  data: z.strictObject({ client, up: Bytes, down: Bytes }),
  stream,
});

export const ClientTrafficAdjusted = defineEvent('ClientTrafficAdjusted', {
  summary: 'An admin set the counters of a client by hand.',
  data: z.strictObject({
    client,
    up: Bytes,
    down: Bytes,
    before: z.strictObject({ up: Bytes, down: Bytes }),
  }),
  stream,
});

export const ClientTrafficTransferred = defineEvent('ClientTrafficTransferred', {
  summary: 'A client left a shared email. The bytes it had used were transferred to another client with that email.',
  data: z.strictObject({
    client,
    /** Who leaves; its counters are zero from here on. */ fromClient: client,
    up: Bytes,
    down: Bytes,
  }),
  stream,
});

export const ClientExpiryStarted = defineEvent('ClientExpiryStarted', {
  summary: 'The first bytes of a client started its expiry period.',
  data: z.strictObject({ client, expiresAt: Time }),
  stream,
});

export const ClientRenewed = defineEvent('ClientRenewed', {
  summary: 'The expiry of a client passed and the panel renewed the client automatically.',
  data: z.strictObject({ client, /** The expiry that was reached. */ previousExpiresAt: Time, expiresAt: Time }),
  stream,
});

export const ClientIpsSeen = defineEvent('ClientIpsSeen', {
  summary: 'The IP addresses from which a client was connected were recorded.',
  class: 'measured',
  data: z.strictObject({ client, ips: z.array(z.strictObject({ ip: z.string(), seenAt: Time })) }),
  stream,
  seal: { ips: { key: (data) => `client:${data.client}/addresses`, erased: () => [] } },
});

export const ClientIpsCleared = defineEvent('ClientIpsCleared', {
  summary: 'An admin cleared the recorded addresses of a client.',
  data: z.strictObject({ client }),
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
