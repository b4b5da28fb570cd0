import { z } from 'zod';
import { Bytes, Down, KeyVersion, Time, Up } from '../fields.js';
import { InboundId, NodeId, UserId } from '../ids.js';
import { defineEvent } from '../log/event.js';

export const PROTOCOLS = [
  'vless',
  'vmess',
  'trojan',
  'shadowsocks',
  'hysteria',
  'hysteria2',
  'socks',
  'http',
  'mixed',
  'wireguard',
  'dokodemo',
  'dokodemo-door',
  'tunnel',
] as const;
export const Protocol = z.enum(PROTOCOLS);
export type Protocol = z.infer<typeof Protocol>;

const JsonRecord = z.record(z.string(), z.json());

/** What an admin sets on an inbound, without its secrets. */
export const InboundSpec = z.strictObject({
  remark: z.string().describe('Name of the inbound for people.'),
  listen: z.string().describe('IP address or path of a Unix socket to listen on; empty = all addresses.'),
  port: z.int().min(0).max(65535).meta({ unit: 'port', description: 'TCP or UDP port; 0 for a Unix socket.' }),
  protocol: Protocol.describe('Proxy protocol, as the core names it.'),
  tag: z.string().min(1).describe('Unique name of the inbound in the core.'),
  capBytes: Bytes.describe('Traffic cap: up plus down; 0 = unlimited.'),
  expiresAt: Time.describe('When the inbound expires; 0 = never.'),
  trafficReset: z.enum(['never', 'hourly', 'daily', 'weekly', 'monthly']).describe('When the counters are reset.'),
  sniffing: JsonRecord.describe('`sniffing` of the inbound, as the core reads it.'),
  machine: z
    .string()
    .optional()
    .describe('Name of the member of the cluster whose core listens; absent without a cluster, and on a node.'),
});
export type InboundSpec = z.infer<typeof InboundSpec>;

/** Protocol and transport settings as the core reads them, without the clients. Sealed: they contain keys and passwords. */
export const InboundConfig = z.strictObject({
  settings: JsonRecord.describe('`settings` of the inbound, without its clients.'),
  stream: JsonRecord.nullable().describe('`streamSettings` of the inbound; null = none.'),
});
export type InboundConfig = z.infer<typeof InboundConfig>;

const spec = InboundSpec.meta({ typeName: 'InboundSpec', description: 'What an admin sets on the inbound.' });
const config = InboundConfig.describe('Protocol and transport settings, as the core reads them.');
const stream = (data: { inbound: number }) => `inbound-${data.inbound}`;
const seal = {
  config: {
    key: (data: { inbound: number; keyVersion: number }) => `inbound:${data.inbound}/config/${data.keyVersion}`,
    erased: () => ({ settings: {}, stream: null }),
  },
};

export const InboundAdded = defineEvent('InboundAdded', {
  summary: 'An inbound was added.',
  recordedBy: {
    AddInbound: 'an admin adds an inbound',
    RestoreInbound: 'an admin undoes the deletion of an inbound, which gets another number',
    ImportPanel: 'the imported database has the inbound',
  },
  data: z.strictObject({
    inbound: InboundId,
    owner: UserId.describe('Number of the admin account that added it.'),
    enabled: z.boolean().describe('Whether the inbound is enabled.'),
    spec,
    keyVersion: KeyVersion,
    config,
    node: NodeId.nullable().describe('The node whose core listens; null = the core of this panel.'),
  }),
  stream,
  seal,
  upcast: { 1: (local: object) => ({ ...local, node: null }) },
});

export const InboundUpdated = defineEvent('InboundUpdated', {
  summary: 'The specification of an inbound changed. Only changed fields are listed.',
  recordedBy: { UpdateInbound: 'an admin saves the inbound with another specification' },
  data: z.strictObject({
    inbound: InboundId,
    changes: InboundSpec.partial().meta({ typeName: 'InboundSpec', description: 'The changed fields.' }),
  }),
  stream,
});

export const InboundReconfigured = defineEvent('InboundReconfigured', {
  summary: 'The protocol or transport settings of an inbound were replaced.',
  recordedBy: { UpdateInbound: 'an admin saves the inbound with other protocol or transport settings' },
  data: z.strictObject({ inbound: InboundId, keyVersion: KeyVersion, config }),
  stream,
  seal,
});

export const InboundEnabled = defineEvent('InboundEnabled', {
  summary: 'An admin enabled an inbound.',
  recordedBy: {
    SetInboundEnabled: 'an admin enables the inbound',
    UpdateInbound: 'an admin saves the inbound as enabled',
  },
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const InboundDisabled = defineEvent('InboundDisabled', {
  summary: 'An admin disabled an inbound.',
  recordedBy: {
    SetInboundEnabled: 'an admin disables the inbound',
    UpdateInbound: 'an admin saves the inbound as disabled',
  },
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const InboundDeleted = defineEvent('InboundDeleted', {
  summary: 'An inbound was deleted. `ClientDeleted` of each of its clients precedes this event.',
  recordedBy: { DeleteInbound: 'an admin deletes the inbound' },
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

/** Why a client or an inbound may no longer connect: the limit and the values that were compared. */
export const Depletion = z
  .discriminatedUnion('reason', [
    z.strictObject({
      reason: z.literal('cap').describe('The traffic cap is reached.'),
      usedBytes: Bytes.describe('Traffic used: up plus down.'),
      capBytes: Bytes.describe('The traffic cap.'),
    }),
    z.strictObject({
      reason: z.literal('expiry').describe('The expiry is reached.'),
      expiresAt: Time.describe('The expiry.'),
    }),
  ])
  .meta({ typeName: 'Depletion', description: 'The limit that was reached.' });
export type Depletion = z.infer<typeof Depletion>;

export const InboundDepleted = defineEvent('InboundDepleted', {
  summary: 'An inbound reached its cap or its expiry, and the core no longer runs it.',
  recordedBy: {
    RecordTraffic: 'the recorded traffic reaches the cap',
    RecordNodeTraffic: 'the recorded traffic of a node reaches the cap',
    DepleteExpired: 'the expiry has passed; checked with each poll',
    UpdateInbound: 'an admin saves the inbound with a cap or expiry that is reached',
    SetInboundEnabled: 'an admin enables the inbound and another limit is reached than the recorded one',
    ResetInboundTraffic: 'the traffic is reset, but the expiry has passed',
    ResetAllTraffic: 'the traffic is reset, but the expiry has passed',
    BeginPeriods: 'a new period resets the traffic, but the expiry has passed',
    ImportPanel: 'the cap or expiry of the imported inbound is reached',
    RestoreInbound: 'an admin undoes the deletion of an inbound whose cap or expiry is reached',
  },
  data: z.strictObject({ inbound: InboundId, depletion: Depletion }),
  stream,
});

export const InboundReactivated = defineEvent('InboundReactivated', {
  summary: 'A depleted inbound is below its cap and before its expiry again.',
  recordedBy: {
    UpdateInbound: 'an admin saves the inbound with a higher cap or a later expiry',
    SetInboundEnabled: 'an admin enables the inbound and no limit is reached',
    ResetInboundTraffic: 'an admin resets the traffic of the inbound',
    ResetAllTraffic: 'an admin resets the traffic of all inbounds',
    BeginPeriods: 'a new period resets the traffic',
  },
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const InboundTrafficReset = defineEvent('InboundTrafficReset', {
  summary: 'The counters of an inbound were set to 0. The counters of its clients did not change.',
  recordedBy: {
    ResetInboundTraffic: 'an admin resets the traffic of the inbound',
    ResetAllTraffic: 'an admin resets the traffic of all inbounds',
    BeginPeriods: 'a new period of the inbound starts',
  },
  data: z.strictObject({
    inbound: InboundId,
    up: Up.describe('Bytes up before the reset.'),
    down: Down.describe('Bytes down before the reset.'),
  }),
  stream,
});

export const InboundTrafficPeriodStarted = defineEvent('InboundTrafficPeriodStarted', {
  summary: 'A new traffic period of an inbound started. Its counters and those of its clients are reset.',
  recordedBy: { BeginPeriods: 'the next hour, day, week or month has begun in the time zone of the panel' },
  data: z.strictObject({
    inbound: InboundId,
    period: z.enum(['hourly', 'daily', 'weekly', 'monthly']).describe('`trafficReset` of the inbound.'),
    startedAt: Time.describe('When the period began; earlier than the event if the panel was not running.'),
  }),
  stream,
});

export const inboundEvents = [
  InboundAdded,
  InboundUpdated,
  InboundReconfigured,
  InboundEnabled,
  InboundDisabled,
  InboundDeleted,
  InboundDepleted,
  InboundReactivated,
  InboundTrafficReset,
  InboundTrafficPeriodStarted,
] as const;
