import { z } from 'zod';

/** The number of an inbound; the `id` of the panel API. Never used twice. */
export const InboundId = z.int().positive().brand<'InboundId'>();
export type InboundId = z.infer<typeof InboundId>;

/** The opaque number of a client. Measurements name a client only by it. Never used twice. */
export const ClientNumber = z.int().positive().brand<'ClientNumber'>();
export type ClientNumber = z.infer<typeof ClientNumber>;

export const UserId = z.int().positive().brand<'UserId'>();
export type UserId = z.infer<typeof UserId>;

/** The number of a node; the `id` of the panel API. Never used twice. */
export const NodeId = z.int().positive().brand<'NodeId'>();
export type NodeId = z.infer<typeof NodeId>;

/** The number of a geo source of the admin's own; the `id` of the panel API. Never used twice. */
export const GeoSourceId = z.int().positive().brand<'GeoSourceId'>();
export type GeoSourceId = z.infer<typeof GeoSourceId>;

/** A count of bytes: an integer that JSON carries exactly. */
export const Bytes = z.int().nonnegative();
/** Milliseconds since 1970. */
export const Time = z.int().nonnegative();
