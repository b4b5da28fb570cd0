import { z } from 'zod';
import { NodeId } from '../ids.js';
import { defineEvent } from '../log/event.js';

/** Where another panel is reached, and how it is called here. */
export const NodeSpec = z.strictObject({
  name: z.string().min(1),
  remark: z.string(),
  scheme: z.enum(['http', 'https']),
  /** A name or an address, without brackets. */
  host: z.string().min(1),
  port: z.int().min(1).max(65535),
  /** Begins and ends with a slash. */
  basePath: z.string(),
  /** The node itself may be at a private or loopback address. */
  allowPrivateAddress: z.boolean(),
});
export type NodeSpec = z.infer<typeof NodeSpec>;

/** The Bearer token of the remote panel; empty = there is none. */
const NodeSecret = z.strictObject({ token: z.string() });

const node = NodeId;
const stream = (data: { node: number }) => `node-${data.node}`;
/** Counts the tokens of a node: each is sealed under a key of its own. */
const keyVersion = z.int().positive();
const seal = {
  secret: {
    key: (data: { node: number; keyVersion: number }) => nodeTokenKey(data.node, data.keyVersion),
    erased: () => ({ token: '' }),
  },
};

/** The name of the data key under which a token of a node is sealed. */
export function nodeTokenKey(node: number, keyVersion: number): string {
  return `node:${node}/token/${keyVersion}`;
}

export const NodeAdded = defineEvent('NodeAdded', {
  summary: 'A remote panel was registered as a node.',
  data: z.strictObject({ node, enabled: z.boolean(), spec: NodeSpec, keyVersion, secret: NodeSecret }),
  stream,
  seal,
});

export const NodeUpdated = defineEvent('NodeUpdated', {
  summary: 'The name or address of a node changed. Only changed fields are listed.',
  data: z.strictObject({ node, changes: NodeSpec.partial() }),
  stream,
});

export const NodeTokenReplaced = defineEvent('NodeTokenReplaced', {
  summary: 'The token of a node was replaced; the one before is destroyed.',
  data: z.strictObject({ node, keyVersion, secret: NodeSecret }),
  stream,
  seal,
});

export const NodeEnabled = defineEvent('NodeEnabled', {
  summary: 'An admin enabled a node. The panel polls and configures it again.',
  data: z.strictObject({ node }),
  stream,
});

export const NodeDisabled = defineEvent('NodeDisabled', {
  summary: 'An admin disabled a node. The panel no longer polls or configures it; its inbounds keep running there.',
  data: z.strictObject({ node }),
  stream,
});

export const NodeDeleted = defineEvent('NodeDeleted', {
  summary: 'A node was deleted. Inbounds that are bound to it stay, but no longer reach a core.',
  data: z.strictObject({ node }),
  stream,
});

export const NodeIdentified = defineEvent('NodeIdentified', {
  summary:
    'A node reported which panel it is. The panel does not use it if another panel answers at its address later.',
  data: z.strictObject({
    node,
    kind: z.enum(['portolan', '3x-ui']),
    /** The lasting name that the panel gives itself; empty where its kind has none. */
    panelId: z.string(),
  }),
  stream,
});

export const NodeWentOnline = defineEvent('NodeWentOnline', {
  summary: 'A node responded again.',
  class: 'measured',
  data: z.strictObject({ node }),
  stream,
});

export const NodeWentOffline = defineEvent('NodeWentOffline', {
  summary: 'A node did not respond correctly several times in a row.',
  class: 'measured',
  data: z.strictObject({ node, reason: z.string() }),
  stream,
});

export const nodeEvents = [
  NodeAdded,
  NodeUpdated,
  NodeTokenReplaced,
  NodeEnabled,
  NodeDisabled,
  NodeDeleted,
  NodeIdentified,
  NodeWentOnline,
  NodeWentOffline,
] as const;
