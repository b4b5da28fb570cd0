import type { PanelEvent } from '../../events/catalog.js';
import { NodeId } from '../../events/ids.js';
import {
  NodeAdded,
  NodeDeleted,
  NodeDisabled,
  NodeEnabled,
  NodeIdentified,
  type NodeSpec,
  NodeTokenReplaced,
  NodeUpdated,
  NodeWentOffline,
  NodeWentOnline,
  nodeTokenKey,
} from '../../events/node/node.js';
import type { Node } from '../../events/node/node-document.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import type { Text } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import { Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import {
  duplicateOf,
  type NodeDraft,
  nameTaken,
  sameAddress,
  sameDestination,
  tokenError,
  validSpec,
} from './node-rules.js';

export type NodeCommand =
  | Command<'AddNode', { readonly enabled: boolean; readonly spec: NodeDraft; readonly token: string }>
  /** Omitted members keep their value. An empty token keeps the current one. */
  | Command<
      'UpdateNode',
      {
        readonly node: NodeId;
        readonly enabled?: boolean | undefined;
        readonly changes: Partial<NodeDraft>;
        readonly token: string;
      }
    >
  | Command<'SetNodeEnabled', { readonly node: NodeId; readonly enabled: boolean }>
  | Command<'DeleteNode', { readonly node: NodeId }>
  /** `queried`: the node when it was queried. A reply from a previous address or to a previous token is dropped. */
  | Command<'RecordNodeIdentity', { readonly queried: Node; readonly identity: NonNullable<Node['identity']> }>
  | Command<'RecordNodeOnline', { readonly queried: Node }>
  | Command<'RecordNodeOffline', { readonly queried: Node; readonly reason: Text }>;

export const node: Decider<NodeCommand> = {
  AddNode({ enabled, spec: draft, token: given }, state) {
    const spec = validSpec(draft);
    if (spec instanceof Rejection) return spec;
    const token = given.trim();
    const refused = tokenError(token) ?? nameTaken(state, spec.name);
    if (refused) return refused;
    const id = NodeId.parse(state.lastNode + 1);
    return [NodeAdded({ node: id, enabled, spec, keyVersion: 1, secret: { token } })];
  },

  UpdateNode({ node: id, enabled, changes: requested, token: given }, state) {
    const current = state.nodes.get(id);
    if (!current) return reject('NODE_NOT_FOUND', { node: id });
    const spec = validSpec({ ...specOf(current), ...requested });
    if (spec instanceof Rejection) return spec;
    const token = given.trim();
    const refused = tokenError(token) ?? nameTaken(state, spec.name, id);
    if (refused) return refused;
    // Otherwise an admin could send the token to a machine under their control.
    if (token === '' && current.token !== '' && !sameDestination(current, spec)) return reject('NODE_TOKEN_NEEDED');
    const events: PanelEvent[] = [];
    const changes = changedMembers(current, spec);
    if (Object.keys(changes).length > 0) events.push(NodeUpdated({ node: id, changes }));
    if (token !== '') events.push(...replaced(current, token));
    if (enabled !== undefined && enabled !== current.enabled) events.push(switched(id, enabled));
    return events;
  },

  SetNodeEnabled({ node: id, enabled }, { nodes }) {
    const current = nodes.get(id);
    if (!current) return reject('NODE_NOT_FOUND', { node: id });
    return current.enabled === enabled ? [] : [switched(id, enabled)];
  },

  DeleteNode({ node: id }, { nodes }) {
    return nodes.has(id) ? [NodeDeleted({ node: id })] : reject('NODE_NOT_FOUND', { node: id });
  },

  RecordNodeIdentity({ queried, identity }, state) {
    const current = currentNode(state, queried);
    // A new identity is accepted only after the node was saved with its token. Two nodes that are one panel would overwrite
    // each other's inbounds.
    const isDuplicate = current && duplicateOf(state.nodes.values(), current, identity.panelId) !== undefined;
    return current?.identity === null && !isDuplicate ? [NodeIdentified({ node: current.id, ...identity })] : [];
  },

  RecordNodeOnline({ queried }, state) {
    const current = currentNode(state, queried);
    return current?.enabled ? [NodeWentOnline({ node: current.id })] : [];
  },

  RecordNodeOffline({ queried, reason }, state) {
    const current = currentNode(state, queried);
    return current?.enabled ? [NodeWentOffline({ node: current.id, reason })] : [];
  },
};

function currentNode({ nodes }: PanelState, queried: Node): Node | undefined {
  const current = nodes.get(queried.id);
  return current && sameAddress(current, queried) ? current : undefined;
}

/** Also for the same token: with it the admin confirms the panel at the address. */
function replaced({ id, keyVersion }: Node, token: string): PanelEvent[] {
  const next = NodeTokenReplaced({ node: id, keyVersion: keyVersion + 1, secret: { token } });
  return [next, DataKeyDestroyed({ key: nodeTokenKey(id, keyVersion), reason: 'rotated' })];
}

const switched = (node: NodeId, enabled: boolean): PanelEvent =>
  enabled ? NodeEnabled({ node }) : NodeDisabled({ node });

function specOf({ name, remark, scheme, host, port, basePath, allowPrivateAddress }: Node): NodeSpec {
  return { name, remark, scheme, host, port, basePath, allowPrivateAddress };
}

function changedMembers(current: Node, spec: NodeSpec): Partial<NodeSpec> {
  const keys = Object.keys(spec) as (keyof NodeSpec)[];
  return Object.fromEntries(keys.filter((key) => current[key] !== spec[key]).map((key) => [key, spec[key]]));
}
