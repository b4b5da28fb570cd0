import { z } from 'zod';
import { KeyVersion, oneOf } from '../fields.js';
import { NodeId } from '../ids.js';
import { defineEvent } from '../log/event.js';
import { textSchema } from '../text.js';

/** The name and address of a remote panel. */
export const NodeSpec = z.strictObject({
  name: z.string().min(1).describe('Unique name of the node.'),
  remark: z.string().describe('Remark of the admin.'),
  scheme: z.enum(['http', 'https']).describe('Scheme of its URL.'),
  host: z.string().min(1).describe('Host name or IP address, without brackets.'),
  port: z.int().min(1).max(65535).meta({ unit: 'TCP port', description: 'Port of its panel.' }),
  basePath: z.string().describe('Path of its panel; begins and ends with a slash.'),
  allowPrivateAddress: z.boolean().describe('Whether the node may have a private or loopback address.'),
});
export type NodeSpec = z.infer<typeof NodeSpec>;

const spec = NodeSpec.meta({ typeName: 'NodeSpec', description: 'Name and address of the node.' });
const secret = z
  .strictObject({ token: z.string().describe('Bearer token of the remote panel; empty = none.') })
  .describe('The token.');

const node = NodeId;
const stream = (data: { node: number }) => `node-${data.node}`;
const seal = {
  secret: {
    key: (data: { node: number; keyVersion: number }) => nodeTokenKey(data.node, data.keyVersion),
    erased: () => ({ token: '' }),
  },
};

/** The name of the data key for a token of a node. */
export function nodeTokenKey(node: number, keyVersion: number): string {
  return `node:${node}/token/${keyVersion}`;
}

export const NodeAdded = defineEvent('NodeAdded', {
  summary: 'A remote panel was registered as a node.',
  recordedBy: { AddNode: 'an admin adds a node', ImportPanel: 'the imported database has the node' },
  data: z.strictObject({
    node,
    enabled: z.boolean().describe('Whether the node is enabled.'),
    spec,
    keyVersion: KeyVersion,
    secret,
  }),
  stream,
  seal,
});

export const NodeUpdated = defineEvent('NodeUpdated', {
  summary: 'The name or address of a node changed. Only changed fields are listed.',
  recordedBy: { UpdateNode: 'an admin saves the node with another name or address' },
  data: z.strictObject({
    node,
    changes: NodeSpec.partial().meta({ typeName: 'NodeSpec', description: 'The changed fields.' }),
  }),
  stream,
});

export const NodeTokenReplaced = defineEvent('NodeTokenReplaced', {
  summary: 'The token of a node was replaced. The previous token was destroyed.',
  recordedBy: { UpdateNode: 'an admin saves the node with a token' },
  data: z.strictObject({ node, keyVersion: KeyVersion, secret }),
  stream,
  seal,
});

export const NodeEnabled = defineEvent('NodeEnabled', {
  summary: 'An admin enabled a node. The panel polls and configures it again.',
  recordedBy: { SetNodeEnabled: 'an admin enables the node', UpdateNode: 'an admin saves the node as enabled' },
  data: z.strictObject({ node }),
  stream,
});

export const NodeDisabled = defineEvent('NodeDisabled', {
  summary: 'An admin disabled a node. The panel no longer polls or configures it; its inbounds keep running there.',
  recordedBy: { SetNodeEnabled: 'an admin disables the node', UpdateNode: 'an admin saves the node as disabled' },
  data: z.strictObject({ node }),
  stream,
});

export const NodeDeleted = defineEvent('NodeDeleted', {
  summary: 'A node was deleted. Its inbounds stay in this panel, but no core runs them for it.',
  recordedBy: { DeleteNode: 'an admin deletes the node' },
  data: z.strictObject({ node }),
  stream,
});

export const NodeIdentified = defineEvent('NodeIdentified', {
  summary: 'A node reported which panel it is. If another panel responds at its address later, the node is not used.',
  recordedBy: { RecordNodeIdentity: 'the first response of a node after it was added or its address or token changed' },
  data: z.strictObject({
    node,
    kind: oneOf({ portolan: 'a panel of this program', '3x-ui': 'a panel of 3x-ui' }).describe('What the node is.'),
    panelId: z.string().describe('Panel id of the node; empty for 3x-ui, which has none.'),
  }),
  stream,
});

export const NodeWentOnline = defineEvent('NodeWentOnline', {
  summary: 'A node responded again.',
  recordedBy: { RecordNodeOnline: 'a probe of an offline node succeeds' },
  class: 'measured',
  data: z.strictObject({ node }),
  stream,
});

export const NodeWentOffline = defineEvent('NodeWentOffline', {
  summary: 'A node did not respond, or not correctly.',
  recordedBy: { RecordNodeOffline: 'probes of the node failed three times in a row, or its response was invalid' },
  class: 'measured',
  data: z.strictObject({ node, reason: textSchema }),
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
