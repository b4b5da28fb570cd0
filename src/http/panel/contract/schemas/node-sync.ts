import { z } from 'zod';
import { TextCode } from './text-code.js';

/** An inbound with changes that its node has not applied. Times are unix seconds; 0 = never. */
export const PendingInbound = z.object({
  inboundId: z.int(),
  tag: z.string(),
  /** It was deleted here and is to be removed from the node. */
  deleted: z.boolean(),
  /** Number of changes that the node has not applied. */
  lag: z.int(),
  /** The position of the first of these changes. */
  firstPosition: z.int(),
  /** The position of the configuration that the node has; 0 = it never had the inbound. */
  appliedPosition: z.int(),
  appliedAt: z.int(),
  /** Why the node rejects it; empty = it does not. */
  reason: z.string(),
  reasonCode: TextCode,
  since: z.int(),
  retryAt: z.int(),
});

/** The synchronization state of a node. Times are unix seconds; 0 = never or not. */
export const NodeSyncReply = z
  .object({
    id: z.int(),
    name: z.string(),
    /** `synced`, `behind`, `failing`, `refused`, `disabled`, or `unknown` before the first reply. */
    state: z.enum(['synced', 'behind', 'failing', 'refused', 'disabled', 'unknown']),
    /** Number of changes that the node has not applied. */
    lag: z.int(),
    /** The node has applied everything up to this position. */
    appliedPosition: z.int(),
    /** The position of the newest change for the node. */
    wantedPosition: z.int(),
    listedAt: z.int(),
    /** Why the node cannot be synchronized; empty = it can. */
    error: z.string(),
    errorCode: TextCode,
    failingSince: z.int(),
    tries: z.int(),
    nextTryAt: z.int(),
    pending: z.array(PendingInbound),
    /** When this panel last restarted the node's core to close connections of disabled clients or inbounds. */
    coreRestartedAt: z.int(),
    /** Emails of these clients, and these inbounds. A deleted client has its number, such as `#7`. */
    coreRestartedFor: z.object({ clients: z.array(z.string()), inbounds: z.array(z.int()) }),
    /** Inbounds and clients that exist only on the node. They are listed and never managed. */
    unmanaged: z.object({
      inbounds: z.array(z.string()),
      clients: z.array(z.object({ inbound: z.string(), email: z.string() })),
      omitted: z.int(),
    }),
  })
  .meta({ id: 'NodeSync' });
export type NodeSyncReply = z.output<typeof NodeSyncReply>;
