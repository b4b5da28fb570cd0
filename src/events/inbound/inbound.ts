import { z } from 'zod';
import { Bytes, InboundId, NodeId, Time, UserId } from '../ids.js';
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

/** What an admin sets on a listener, without its secrets. */
export const InboundSpec = z.strictObject({
  remark: z.string(),
  listen: z.string(),
  port: z.int().min(0).max(65535),
  protocol: Protocol,
  tag: z.string().min(1),
  /** Cap over up and down; 0 = none. */
  capBytes: Bytes,
  /** 0 = never. */
  expiresAt: Time,
  trafficReset: z.enum(['never', 'hourly', 'daily', 'weekly', 'monthly']),
  sniffing: JsonRecord,
});
export type InboundSpec = z.infer<typeof InboundSpec>;

/**
 * Protocol and transport settings as the core reads them, less the clients. They hold private keys, server passwords
 * and accounts, so the whole is sealed.
 */
export const InboundConfig = z.strictObject({ settings: JsonRecord, stream: JsonRecord.nullable() });
export type InboundConfig = z.infer<typeof InboundConfig>;

const stream = (data: { inbound: number }) => `inbound-${data.inbound}`;
const seal = {
  config: {
    key: (data: { inbound: number; keyVersion: number }) => `inbound:${data.inbound}/config/${data.keyVersion}`,
    erased: () => ({ settings: {}, stream: null }),
  },
};

export const InboundAdded = defineEvent('InboundAdded', {
  summary: 'An inbound was added, by hand or by import.',
  data: z.strictObject({
    inbound: InboundId,
    owner: UserId,
    enabled: z.boolean(),
    spec: InboundSpec,
    /** Counts the configurations of this inbound: each has a key of its own. */
    keyVersion: z.int().positive(),
    config: InboundConfig,
    /** The node whose core listens; null = the core of this panel. */
    node: NodeId.nullable(),
  }),
  stream,
  seal,
  upcast: { 1: (local: object) => ({ ...local, node: null }) },
});

export const InboundUpdated = defineEvent('InboundUpdated', {
  summary: 'Some of what an admin sets on an inbound changed; only what changed is named.',
  data: z.strictObject({ inbound: InboundId, changes: InboundSpec.partial() }),
  stream,
});

export const InboundReconfigured = defineEvent('InboundReconfigured', {
  summary: 'The protocol or transport settings of an inbound were replaced.',
  data: z.strictObject({ inbound: InboundId, keyVersion: z.int().positive(), config: InboundConfig }),
  stream,
  seal,
});

export const InboundEnabled = defineEvent('InboundEnabled', {
  summary: 'An admin switched an inbound on.',
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const InboundDisabled = defineEvent('InboundDisabled', {
  summary: 'An admin switched an inbound off.',
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const InboundDeleted = defineEvent('InboundDeleted', {
  summary: 'An inbound was deleted, after its clients.',
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

/** Why a client or an inbound may not connect any more: the rule and the numbers that it compared. */
export const Depletion = z.discriminatedUnion('reason', [
  z.strictObject({ reason: z.literal('cap'), usedBytes: Bytes, capBytes: Bytes }),
  z.strictObject({ reason: z.literal('expiry'), expiresAt: Time }),
]);
export type Depletion = z.infer<typeof Depletion>;

export const InboundDepleted = defineEvent('InboundDepleted', {
  summary: 'An inbound reached its cap or its expiry.',
  data: z.strictObject({ inbound: InboundId, depletion: Depletion }),
  stream,
});

export const InboundReactivated = defineEvent('InboundReactivated', {
  summary: 'A depleted inbound is below its cap and before its expiry again.',
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const InboundTrafficReset = defineEvent('InboundTrafficReset', {
  summary: 'The counters of an inbound were set to zero; its clients keep theirs.',
  data: z.strictObject({ inbound: InboundId, up: Bytes, down: Bytes }),
  stream,
});

export const InboundTrafficPeriodStarted = defineEvent('InboundTrafficPeriodStarted', {
  summary: 'A new traffic period of an inbound started: its counters and those of its clients were set to zero.',
  data: z.strictObject({
    inbound: InboundId,
    period: z.enum(['hourly', 'daily', 'weekly', 'monthly']),
    /** When it began, which is before the event where the panel was down. */
    startedAt: Time,
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
