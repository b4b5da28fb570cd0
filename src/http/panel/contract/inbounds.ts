import { z } from 'zod';
import { get, LARGE_BODY_BYTES, post, routes } from './route.js';
import { body, Id, requiredFlag } from './schemas/fields.js';
import { ImportBody, InboundBody, InboundReply } from './schemas/inbound.js';

const params = z.object({ id: Id });

/** Inbounds. Mount it after `clientRoutes`: paths that begin with a number come last. */
export const inboundRoutes = routes('/panel/api/inbounds', {
  list: get('/list', { summary: "The caller's inbounds with their clients' counters", reply: z.array(InboundReply) }),
  get: get('/get/:id', { summary: 'One inbound', params, reply: InboundReply }),
  add: post('/add', { summary: 'Add an inbound', body: InboundBody, reply: InboundReply, limit: LARGE_BODY_BYTES }),
  del: post('/del/:id', { summary: 'Delete an inbound, its clients and their counters', params, reply: z.int() }),
  update: post('/update/:id', {
    summary: 'Change an inbound; members that are absent stay as they are',
    params,
    body: InboundBody,
    reply: InboundReply,
    limit: LARGE_BODY_BYTES,
  }),
  setEnable: post('/setEnable/:id', {
    summary: 'Switch an inbound on or off',
    params,
    body: body({ enable: requiredFlag }),
  }),
  resetAllTraffics: post('/resetAllTraffics', { summary: 'Zero the counters of every inbound' }),
  import: post('/import', {
    summary: 'Add an inbound from its JSON',
    body: ImportBody,
    reply: InboundReply,
    limit: LARGE_BODY_BYTES,
  }),
  resetTraffic: post('/:id/resetTraffic', {
    summary: 'Zero the counters of an inbound, not those of its clients',
    params,
  }),
});
