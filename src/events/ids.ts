import { z } from 'zod';

/** A number that is given once and never reused. */
const Id = z.int().positive();
const asId = (noun: string) => ({ unit: 'id', description: `Number of the ${noun}. It is never reused.` });

/** The number of an inbound; the `id` of the panel API. */
export const InboundId = Id.brand<'InboundId'>().meta(asId('inbound'));
export type InboundId = z.infer<typeof InboundId>;

/** The opaque number of a client. Measurements name a client only by it. */
export const ClientNumber = Id.brand<'ClientNumber'>().meta(asId('client'));
export type ClientNumber = z.infer<typeof ClientNumber>;

export const UserId = Id.brand<'UserId'>().meta(asId('admin account'));
export type UserId = z.infer<typeof UserId>;

/** The number of an access token; the `id` of the panel API. */
export const TokenId = Id.brand<'TokenId'>().meta(asId('access token'));
export type TokenId = z.infer<typeof TokenId>;

/** The number of a node; the `id` of the panel API. */
export const NodeId = Id.brand<'NodeId'>().meta(asId('node'));
export type NodeId = z.infer<typeof NodeId>;

/** The number of a geo source that an admin added; the `id` of the panel API. */
export const GeoSourceId = Id.brand<'GeoSourceId'>().meta(asId('geo source'));
export type GeoSourceId = z.infer<typeof GeoSourceId>;

/** The number of a legal hold. */
export const HoldId = Id.brand<'HoldId'>().meta(asId('legal hold'));
export type HoldId = z.infer<typeof HoldId>;

/** The number of a webhook; the `id` of the panel API. */
export const WebhookId = Id.brand<'WebhookId'>().meta(asId('webhook'));
export type WebhookId = z.infer<typeof WebhookId>;
