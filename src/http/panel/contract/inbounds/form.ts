import { z } from 'zod';
import { get, LARGE_BODY_BYTES, post, routes } from '../route.js';
import { body, Id, optionalFlag, optionalWhole, whole } from '../schemas/fields.js';
import { inboundShape, PERIODS } from '../schemas/inbound.js';

const params = z.object({ id: Id });
/** Each is tested by the core. */
const MOST_IMPORTED = 100;
const Fields = z.record(z.string(), z.unknown());

/** An inbound in a list: its counters and how many clients it has, but none of them. */
export const InboundSummary = z
  .object({
    ...{ id: z.int(), remark: z.string(), tag: z.string(), protocol: z.string(), listen: z.string(), port: z.int() },
    /** Transport and security; empty for protocols without a stream. */
    network: z.string(),
    security: z.string(),
    /** The effective state: also false while its cap or expiry is reached. */
    enable: z.boolean(),
    /** What an admin has set. */
    enabled: z.boolean(),
    /** Which limit has closed it; empty = none. */
    closedBy: z.enum(['', 'cap', 'expiry']),
    ...{ up: z.int(), down: z.int(), total: z.int(), allTime: z.int(), expiryTime: z.int() },
    trafficReset: z.enum(PERIODS),
    /** How many clients it has, and how many of them are connected. */
    clients: z.int(),
    online: z.int(),
    /** The node whose core listens; 0 = this panel. */
    nodeId: z.int(),
    /** The member of the cluster whose core listens; absent without a cluster. */
    machine: z.string().optional(),
    /** Why the core of its machine rejects it; absent = it does not. */
    refused: z.string().optional(),
  })
  .meta({ id: 'InboundSummary' });
export type InboundSummary = z.output<typeof InboundSummary>;

/** An inbound as a form edits it, without its clients. */
export const InboundForm = z
  .object({
    id: z.int(),
    /** Changes with each change of a member below. `/update/:id` takes it as `expectedVersion`. */
    version: z.string(),
    ...{ remark: z.string(), tag: z.string(), protocol: z.string(), listen: z.string(), port: z.int() },
    /** What an admin has set, even while a limit has closed the inbound. */
    enable: z.boolean(),
    ...{ total: z.int(), expiryTime: z.int(), trafficReset: z.enum(PERIODS) },
    /** As objects; `settings` without the clients. */
    ...{ settings: Fields, streamSettings: Fields, sniffing: Fields },
    ...{ nodeId: z.int(), clients: z.int() },
    /** The member of the cluster whose core listens; absent without a cluster. */
    machine: z.string().optional(),
  })
  .meta({ id: 'InboundForm' });
export type InboundForm = z.output<typeof InboundForm>;

const draft = body({
  ...inboundShape,
  /** Number of the inbound that is edited; absent = a new one. */
  id: optionalWhole({ min: 0 }),
});

/** Inbounds for lists and forms, which do not load their clients. */
export const inboundFormRoutes = routes('/panel/api/inbounds', {
  overview: get('/overview', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: "List the caller's inbounds with their counters, without their clients",
    reply: z.array(InboundSummary),
  }),
  form: get('/overview/:id', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: 'Get an inbound for a form, without its clients, and the version that it has',
    params,
    reply: InboundForm,
  }),
  freePort: get('/freePort', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: 'Propose a port that no inbound and no program of this machine uses',
    query: z.object({
      /** The port to propose if it is free; 0 = a random one. */
      prefer: whole({ min: 0, max: 65_535 }),
    }),
    reply: z.int(),
  }),
  delete: post('/delete/:id', {
    permission: { resource: 'inbounds', action: 'delete' },
    summary: 'Delete an inbound like /del. The answer has the position for `/panel/api/events/:position/undo`',
    params,
    reply: z.object({ position: z.int() }),
  }),
  importAll: post('/importAll', {
    permission: { resource: 'inbounds', action: 'create' },
    summary:
      'Add inbounds from their JSON, all of them or none, in one append. With `preview` nothing changes, and the answer says what each would be and what prevents it',
    body: body({
      /** Each as in /add or from an export. A tag that is in use is replaced with a free one. */
      inbounds: z.array(Fields).min(1).max(MOST_IMPORTED),
      preview: optionalFlag,
    }),
    reply: z.object({
      /** Numbers of the added inbounds; empty for a preview. */
      added: z.array(z.int()),
      /** Position for `/panel/api/events/:position/undo`; 0 for a preview. */
      position: z.int(),
      inbounds: z.array(
        z.object({
          ...{ remark: z.string(), protocol: z.string(), port: z.int(), clients: z.int() },
          /** Why it cannot be added; empty = it can. */
          problem: z.string(),
        }),
      ),
    }),
    limit: LARGE_BODY_BYTES,
  }),
  check: post('/check', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: 'Check an inbound like /add or /update, with the test of the core, without saving it',
    body: draft,
    /** `tested`: whether a core tested it; false where no core is installed. */
    reply: z.object({ tested: z.boolean() }),
    limit: LARGE_BODY_BYTES,
  }),
  preview: post('/preview', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: 'Share links that an inbound would have, for its first client or for a sample client',
    body: draft,
    reply: z.object({ links: z.array(z.string()), sample: z.boolean() }),
    limit: LARGE_BODY_BYTES,
  }),
});
