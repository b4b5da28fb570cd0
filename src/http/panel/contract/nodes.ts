import { z } from 'zod';
import { bucket, History, oneOf } from './histories.js';
import { get, post, routes } from './route.js';
import { body, Id, optionalFlag, optionalText, optionalWhole, requiredFlag } from './schemas/fields.js';
import { NodeSyncReply, PendingInbound } from './schemas/node-sync.js';

const params = z.object({ id: Id });

/** A node as callers send it. Absent members stay as they are; a blank token keeps the one that is there. */
export const NodeBody = body({
  name: optionalText,
  remark: optionalText,
  /** `http` or `https`; https where none is named. */
  scheme: optionalText,
  /** A name or an address. */
  host: optionalText,
  /** The same, as 3x-ui calls it. */
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
  /** Of the machine of the node. */
  uptimeSecs: z.int(),
};

/** A node as the panel answers it. Where 3x-ui has another name, both are there. */
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
    /** Always empty: a token is written and never read. */
    apiToken: z.string(),
    hasApiToken: z.boolean(),
    enable: z.boolean(),
    allowPrivateAddress: z.boolean(),
    status: z.enum(['unknown', 'online', 'offline']),
    /** Unix seconds of the last question; 0 = never. */
    lastHeartbeat: z.int(),
    lastError: z.string(),
    ...load,
    /** What it said it is: `portolan`, `3x-ui`, or nothing yet. */
    kind: z.string(),
    /** How far it is behind: see `NodeSync`. */
    syncState: NodeSyncReply.shape.state,
    /** Events that were decided for it and have not arrived. */
    pendingChanges: z.int(),
    /** Why they have not arrived: the node fails, or refuses an inbound, which is named. Empty while it does neither. */
    pendingReason: z.string(),
    /** Inbounds with changes that have not arrived: at most 20; `/:id/sync` has all of them. */
    pending: z.array(PendingInbound),
    /** Unix seconds. */
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: 'Node' });
export type NodeReply = z.output<typeof NodeReply>;

/** What a question to a panel found. */
export const ProbeReply = z.object({ status: z.enum(['online', 'offline']), ...load, error: z.string() });
export type ProbeReply = z.output<typeof ProbeReply>;

/** Remote panels. */
export const nodeRoutes = routes('/panel/api/nodes', {
  list: get('/list', { summary: 'The nodes, each with how it was when it was last asked', reply: z.array(NodeReply) }),
  get: get('/get/:id', { summary: 'One node, and how it was when it was last asked', params, reply: NodeReply }),
  add: post('/add', { summary: 'Register a remote panel as a node', body: NodeBody, reply: NodeReply }),
  update: post('/update/:id', {
    summary: 'Change a node; its token is asked for again when it is sent elsewhere',
    params,
    body: NodeBody,
    reply: NodeReply,
  }),
  del: post('/del/:id', {
    summary: 'Take a node out of the register, and what was put there off it; inbounds that are bound to it stay here',
    params,
    /**
     * How many are bound to it; how many may go on there, because it could not be told; and how many stay there without
     * the clients from here, because somebody else has clients in them.
     */
    reply: z.object({ inbounds: z.int(), remaining: z.int(), kept: z.int() }),
  }),
  setEnable: post('/setEnable/:id', {
    summary: 'Switch a node on or off: it is asked and told, or neither',
    params,
    body: body({ enable: requiredFlag }),
  }),
  test: post('/test', {
    summary: 'Ask a panel that is no node yet; nothing is kept',
    body: NodeBody,
    reply: ProbeReply,
  }),
  sync: get('/:id/sync', {
    summary: 'How far a node is behind what was decided, and why',
    params,
    reply: NodeSyncReply,
  }),
  probe: post('/probe/:id', { summary: 'Ask a node now how it is', params, reply: ProbeReply }),
  history: get('/history/:id/:metric/:bucket', {
    summary: 'Six hours of the load of a node: cpu or mem, in percent',
    params: z.object({ id: Id, metric: oneOf(['cpu', 'mem']), bucket }),
    reply: History,
  }),
});
