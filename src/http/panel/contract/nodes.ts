import { z } from 'zod';
import { bucket, History, oneOf } from './core/histories.js';
import { get, post, routes } from './route.js';
import { body, Id, optionalFlag, optionalText, optionalWhole, requiredFlag } from './schemas/fields.js';
import { NodeSyncReply, PendingInbound } from './schemas/node-sync.js';
import { TextCode } from './schemas/text-code.js';

const params = z.object({ id: Id });

/** A node in a request. Omitted members keep their value; an empty token keeps the current one. */
export const NodeBody = body({
  name: optionalText,
  remark: optionalText,
  /** `http` or `https`; default `https`. */
  scheme: optionalText,
  /** Host name or IP address. */
  host: optionalText,
  /** The name of `host` in 3x-ui. */
  address: optionalText,
  port: optionalWhole(),
  basePath: optionalText,
  apiToken: optionalText,
  enable: optionalFlag,
  allowPrivateAddress: optionalFlag,
});
export type NodeBody = z.output<typeof NodeBody>;

const load = {
  /** Percent. */
  cpu: z.number(),
  mem: z.number(),
  cpuPct: z.number(),
  memPct: z.number(),
  latencyMs: z.int(),
  coreVersion: z.string(),
  xrayVersion: z.string(),
  /** Uptime of the node's machine. */
  uptimeSecs: z.int(),
};

/** A node in a reply. Members that have another name in 3x-ui have both names. */
export const NodeReply = z
  .object({
    id: z.int(),
    name: z.string(),
    remark: z.string(),
    scheme: z.enum(['http', 'https']),
    host: z.string(),
    address: z.string(),
    port: z.int(),
    basePath: z.string(),
    /** Always empty: the token can be written but not read. */
    apiToken: z.string(),
    hasApiToken: z.boolean(),
    enable: z.boolean(),
    allowPrivateAddress: z.boolean(),
    status: z.enum(['unknown', 'online', 'offline']),
    /** Unix seconds of the last probe; 0 = never. */
    lastHeartbeat: z.int(),
    lastError: z.string(),
    lastErrorCode: TextCode,
    ...load,
    /** `portolan` or `3x-ui`; empty before the first reply. */
    kind: z.string(),
    /** See `NodeSync`. */
    syncState: NodeSyncReply.shape.state,
    /** Number of changes that the node has not applied yet. */
    pendingChanges: z.int(),
    /** Why: the node fails, or rejects an inbound, which is named. Empty otherwise. */
    pendingReason: z.string(),
    pendingReasonCode: TextCode,
    /** Inbounds with such changes, at most 20; `/:id/sync` has all of them. */
    pending: z.array(PendingInbound),
    /** Unix seconds. */
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: 'Node' });
export type NodeReply = z.output<typeof NodeReply>;

/** The result of a probe. */
export const ProbeReply = z.object({
  status: z.enum(['online', 'offline']),
  ...load,
  error: z.string(),
  errorCode: TextCode,
});
export type ProbeReply = z.output<typeof ProbeReply>;

/** Remote panels. */
export const nodeRoutes = routes('/panel/api/nodes', {
  list: get('/list', {
    leader: true,
    permission: { resource: 'nodes', action: 'read' },
    summary: 'List the nodes with the result of their last probe',
    reply: z.array(NodeReply),
  }),
  get: get('/get/:id', {
    leader: true,
    permission: { resource: 'nodes', action: 'read' },
    summary: 'Get a node with the result of its last probe',
    params,
    reply: NodeReply,
  }),
  add: post('/add', {
    permission: { resource: 'nodes', action: 'create' },
    summary: 'Add a remote panel as a node',
    body: NodeBody,
    reply: NodeReply,
  }),
  update: post('/update/:id', {
    permission: { resource: 'nodes', action: 'update' },
    summary: 'Update a node; a change of its address requires its token again',
    params,
    body: NodeBody,
    reply: NodeReply,
  }),
  del: post('/del/:id', {
    permission: { resource: 'nodes', action: 'delete' },
    summary: 'Delete a node after removing its inbounds and clients from it; the inbounds stay in this panel',
    params,
    /**
     * Numbers of inbounds: those of the node, those that may still run there because they could not be removed, and those
     * that stay there without the clients of this panel because they contain others.
     */
    reply: z.object({ inbounds: z.int(), remaining: z.int(), kept: z.int() }),
  }),
  setEnable: post('/setEnable/:id', {
    permission: { resource: 'nodes', action: 'update' },
    summary: 'Enable or disable a node; a disabled node is neither polled nor changed',
    params,
    body: body({ enable: requiredFlag }),
  }),
  test: post('/test', {
    permission: { resource: 'nodes', action: 'run' },
    summary: 'Probe a panel that is not a node yet; nothing is stored',
    body: NodeBody,
    reply: ProbeReply,
  }),
  sync: get('/:id/sync', {
    leader: true,
    permission: { resource: 'nodes', action: 'read' },
    summary: 'Get the synchronization state of a node',
    params,
    reply: NodeSyncReply,
  }),
  probe: post('/probe/:id', {
    permission: { resource: 'nodes', action: 'run' },
    summary: 'Probe a node now',
    params,
    reply: ProbeReply,
  }),
  history: get('/history/:id/:metric/:bucket', {
    leader: true,
    permission: { resource: 'nodes', action: 'read' },
    summary:
      'Get the history of a node over the last six hours: cpu and mem in percent, latency in ms, lag in changes that wait',
    params: z.object({ id: Id, metric: oneOf(['cpu', 'mem', 'latency', 'lag']), bucket }),
    reply: History,
  }),
});
