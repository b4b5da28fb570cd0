import { z } from 'zod';
import { message } from '../../../../messages/message.js';
import { ClientTraffic, SettingsText } from './client.js';
import { body, loose, optionalFlag, optionalText, optionalWhole, Wrong } from './fields.js';
import { contentOf, optionalObject, requiredObject } from './json-text.js';

export const PERIODS = ['never', 'hourly', 'daily', 'weekly', 'monthly'] as const;
type Period = (typeof PERIODS)[number];

/** The members of an inbound that callers may send. */
export const inboundShape = {
  enable: optionalFlag,
  remark: optionalText,
  listen: optionalText,
  port: optionalWhole({ min: 0, max: 65_535 }),
  protocol: optionalText,
  tag: optionalText,
  /** Bytes; 0 = no cap. */
  total: optionalWhole({ min: 0 }),
  /** Milliseconds since 1970; 0 = never. */
  expiryTime: optionalWhole({ min: 0 }),
  trafficReset: loose('string', (value): Period | undefined | Wrong => {
    if (value === undefined) return undefined;
    if (value === '' || value === null) return 'never';
    return PERIODS.find((period) => period === value) ?? new Wrong(message('input.notOneOf', { known: PERIODS }));
  }),
  settings: SettingsText.meta(contentOf('InboundSettings')),
  streamSettings: optionalObject.meta({ type: 'string', ...contentOf('InboundStream') }),
  sniffing: optionalObject.meta({ type: 'string', ...contentOf('Sniffing') }),
  /** The node whose core listens; absent or 0 = this panel. It cannot be changed later. */
  nodeId: optionalWhole({ min: 0, from: 'loose' }),
  /** The member of the cluster whose core listens; absent or empty = the one that it has, or that gets this request. */
  machine: optionalText,
};

/** An inbound as callers send it. Absent members stay absent. */
export const WireInbound = z.object(inboundShape);
export type WireInbound = z.output<typeof WireInbound>;

export const InboundBody = body(inboundShape);
/** The same, and the version that the caller edited; if the inbound has another one, it is not changed. */
export const InboundUpdateBody = body({ ...inboundShape, expectedVersion: optionalText });
/** The form of an import: one inbound as a JSON string. */
export const ImportBody = body({ data: requiredObject.transform((data): unknown => data).pipe(WireInbound) });

/** An inbound as the API returns it. `settings`, `streamSettings` and `sniffing` are JSON strings. */
export const InboundReply = z
  .object({
    id: z.int(),
    userId: z.int(),
    up: z.int(),
    down: z.int(),
    total: z.int(),
    allTime: z.int(),
    remark: z.string(),
    /** The effective state: also false while its cap or expiry is reached. */
    enable: z.boolean(),
    expiryTime: z.int(),
    trafficReset: z.enum(PERIODS),
    lastTrafficResetTime: z.int(),
    clientStats: z.array(ClientTraffic),
    listen: z.string(),
    port: z.int(),
    protocol: z.string(),
    settings: z.string().meta(contentOf('InboundSettings')),
    streamSettings: z.string().meta(contentOf('InboundStream')),
    tag: z.string(),
    sniffing: z.string().meta(contentOf('Sniffing')),
    nodeId: z.int().optional(),
    /** The member of the cluster whose core listens; absent without a cluster. */
    machine: z.string().optional(),
  })
  .meta({ id: 'Inbound' });
export type InboundReply = z.output<typeof InboundReply>;
