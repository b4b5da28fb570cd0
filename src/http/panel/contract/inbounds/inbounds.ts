import { z } from 'zod';
import { get, LARGE_BODY_BYTES, post, routes } from '../route.js';
import { body, Id, requiredFlag } from '../schemas/fields.js';
import { ImportBody, InboundBody, InboundReply, InboundUpdateBody } from '../schemas/inbound.js';

const params = z.object({ id: Id });

/** Inbounds. Mount it after `clientRoutes`: paths that begin with a number come last. */
export const inboundRoutes = routes('/panel/api/inbounds', {
  list: get('/list', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: 'List the inbounds with the counters of their clients',
    reply: z.array(InboundReply),
  }),
  get: get('/get/:id', {
    permission: { resource: 'inbounds', action: 'read' },
    summary: 'Get an inbound',
    params,
    reply: InboundReply,
  }),
  add: post('/add', {
    permission: { resource: 'inbounds', action: 'create' },
    summary: 'Add an inbound',
    body: InboundBody,
    reply: InboundReply,
    limit: LARGE_BODY_BYTES,
  }),
  del: post('/del/:id', {
    permission: { resource: 'inbounds', action: 'delete' },
    summary: 'Delete an inbound, its clients and their counters',
    params,
    reply: z.int(),
  }),
  update: post('/update/:id', {
    permission: { resource: 'inbounds', action: 'update' },
    summary:
      'Change an inbound; absent members are unchanged. With `expectedVersion` only if it still has that version',
    params,
    body: InboundUpdateBody,
    reply: InboundReply,
    limit: LARGE_BODY_BYTES,
  }),
  setEnable: post('/setEnable/:id', {
    permission: { resource: 'inbounds', action: 'update' },
    summary: 'Enable or disable an inbound',
    params,
    body: body({ enable: requiredFlag }),
  }),
  resetAllTraffics: post('/resetAllTraffics', {
    permission: { resource: 'inbounds', action: 'reset' },
    summary: 'Reset the counters of all inbounds',
  }),
  import: post('/import', {
    permission: { resource: 'inbounds', action: 'create' },
    summary: 'Add an inbound from its JSON',
    body: ImportBody,
    reply: InboundReply,
    limit: LARGE_BODY_BYTES,
  }),
  resetTraffic: post('/:id/resetTraffic', {
    permission: { resource: 'inbounds', action: 'reset' },
    summary: 'Reset the counters of an inbound, but not those of its clients',
    params,
  }),
});
