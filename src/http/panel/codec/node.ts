import type { NodeDraft } from '../../../commands/node/node-rules.js';
import type { NodeAnswer, NodeHealth } from '../../../commands/reactors/nodes/health.js';
import type { NodeSpec } from '../../../events/node/node.js';
import type { Node } from '../../../events/node/node-document.js';
import { codeOf } from '../../../messages/message.js';
import type { HttpRequest } from '../context.js';
import type { NodeBody, NodeReply, ProbeReply } from '../contract/nodes.js';
import type { NodeSyncReply } from '../contract/schemas/node-sync.js';

/** Pending inbounds that are shown with a node. */
const MAX_PENDING = 20;

/** A node as the API returns it, without its token. */
export function wireNode(node: Node, health: NodeHealth, sync: NodeSyncReply, say: HttpRequest['say']): NodeReply {
  const { status, lastHeartbeat, lastError, ...load } = health;
  const refused = sync.pending.find(({ reason }) => reason !== '');
  return {
    id: node.id,
    name: node.name,
    remark: node.remark,
    scheme: node.scheme,
    host: node.host,
    address: node.host,
    port: node.port,
    basePath: node.basePath,
    apiToken: '',
    hasApiToken: node.token !== '',
    enable: node.enabled,
    allowPrivateAddress: node.allowPrivateAddress,
    status,
    lastHeartbeat,
    lastError: lastError === null ? sync.error : say(lastError),
    lastErrorCode: lastError === null ? sync.errorCode : codeOf(lastError),
    ...wireLoad(load),
    kind: node.identity?.kind ?? '',
    syncState: sync.state,
    pendingChanges: sync.lag,
    pendingReason: sync.error || (refused ? `${refused.tag}: ${refused.reason}` : ''),
    pendingReasonCode: sync.error === '' ? (refused?.reasonCode ?? null) : sync.errorCode,
    pending: sync.pending.slice(0, MAX_PENDING),
    createdAt: Math.floor(node.createdAt / 1000),
    updatedAt: Math.floor(node.updatedAt / 1000),
  };
}

export function wireProbe({ status, error, ...load }: NodeAnswer, say: HttpRequest['say']): ProbeReply {
  return { status, ...wireLoad(load), error: error === null ? '' : say(error), errorCode: codeOf(error) };
}

function wireLoad({ cpu, mem, latencyMs, coreVersion, uptimeSecs }: Omit<NodeAnswer, 'status' | 'error'>) {
  return { cpu, mem, cpuPct: cpu, memPct: mem, latencyMs, coreVersion, xrayVersion: coreVersion, uptimeSecs };
}

/** The description of a node from a request body. A missing port stays invalid. */
export function nodeDraft(body: NodeBody): NodeDraft {
  return {
    name: body.name ?? '',
    remark: body.remark ?? '',
    scheme: body.scheme ?? '',
    host: body.host || body.address || '',
    port: body.port ?? 0,
    basePath: body.basePath ?? '',
    allowPrivateAddress: body.allowPrivateAddress ?? false,
  };
}

/** The members of the request body that change the node. */
export function nodeChanges(body: NodeBody, before: NodeSpec): Partial<NodeDraft> {
  const { name, remark, port, basePath, allowPrivateAddress } = body;
  // A client that sends back a node has the host under both names, and may have changed only one of them.
  const host = [body.host, body.address].find((one) => one && one !== before.host);
  const members = { name, remark, scheme: body.scheme || undefined, host, port, basePath, allowPrivateAddress };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
