import { z } from 'zod';

/** What of one inbound has not arrived at its node. Times are unix seconds; 0 = never. */
export const PendingInbound = z.object({
  inboundId: z.int(),
  tag: z.string(),
  /** It was deleted here, and is to be deleted there. */
  deleted: z.boolean(),
  /** Events that were decided for it and have not arrived. */
  lag: z.int(),
  /** The position of the first of them. */
  firstPosition: z.int(),
  /** Up to where the node has it; 0 = it never had it. */
  appliedPosition: z.int(),
  appliedAt: z.int(),
  /** Why the node does not take it; empty while nobody said no. */
  reason: z.string(),
  since: z.int(),
  retryAt: z.int(),
});

/** How far a node is behind, and why. Times are unix seconds; 0 = never, or not. */
export const NodeSyncReply = z
  .object({
    id: z.int(),
    name: z.string(),
    /** `synced`, `behind`, `failing`, `refused`, `disabled`, or `unknown` until the node said what it is. */
    state: z.enum(['synced', 'behind', 'failing', 'refused', 'disabled', 'unknown']),
    /** Events that have not arrived. */
    lag: z.int(),
    /** Up to here everything has arrived. */
    appliedPosition: z.int(),
    /** The newest event that has something for the node. */
    wantedPosition: z.int(),
    listedAt: z.int(),
    /** Why the node cannot be told anything; empty while it can. */
    error: z.string(),
    failingSince: z.int(),
    tries: z.int(),
    nextTryAt: z.int(),
    pending: z.array(PendingInbound),
    /** When this panel last restarted its core, because connections that should be cut there went on. */
    coreRestartedAt: z.int(),
    /** Emails of the clients whose connections these were, and inbounds that were off. Of a deleted client its number, as `#7`. */
    coreRestartedFor: z.object({ clients: z.array(z.string()), inbounds: z.array(z.int()) }),
    /** What only the node has: listed, and never taken over. */
    unmanaged: z.object({
      inbounds: z.array(z.string()),
      clients: z.array(z.object({ inbound: z.string(), email: z.string() })),
      omitted: z.int(),
    }),
  })
  .meta({ id: 'NodeSync' });
export type NodeSyncReply = z.output<typeof NodeSyncReply>;
