import { z } from 'zod';
import { get, LARGE_BODY_BYTES, post, routes } from './route.js';
import { ClientsText, ClientTraffic } from './schemas/client.js';
import { body, Id, IdOrAll, optionalWhole, requiredWhole, text, texts } from './schemas/fields.js';

const email = z.object({ email: z.string() });
/** Absent = unchanged. No other value counts as 0, because that would erase usage. */
const bytes = optionalWhole({ min: 0, from: 'json' });
const inboundAndEmail = z.object({ id: Id, email: z.string() });
const inboundAndKey = z.object({ id: Id, clientId: z.string() });
/** An inbound and, as a JSON string, settings with the clients to change. */
const clients = body({ id: requiredWhole({ min: 0 }), settings: ClientsText });
const Copied = z.object({ added: z.array(z.string()), skipped: z.array(z.string()), errors: z.array(z.string()) });
const LastOnline = z.object({ email: z.string(), lastOnline: z.int() });

/** Clients of inbounds. Paths that begin with a number come last, so that they shadow no others. */
export const clientRoutes = routes('/panel/api/inbounds', {
  getClientTraffics: get('/getClientTraffics/:email', {
    summary: 'Counters, cap and expiry of one client',
    params: email,
    reply: ClientTraffic,
    hot: true,
  }),
  getClientTrafficsById: get('/getClientTrafficsById/:id', {
    summary: 'The same by UUID or subscription id',
    params: z.object({ id: z.string() }),
    reply: z.union([ClientTraffic, z.array(ClientTraffic)]),
  }),
  clientIps: post('/clientIps/:email', {
    summary: 'Addresses that a client was seen at, newest first',
    params: email,
    reply: z.array(z.string()),
  }),
  clearClientIps: post('/clearClientIps/:email', { summary: 'Forget those addresses', params: email }),
  addClient: post('/addClient', {
    summary: 'Add one or more clients to an inbound',
    body: clients,
    limit: LARGE_BODY_BYTES,
  }),
  updateClient: post('/updateClient/:clientId', {
    summary: 'Change a client; members that are absent stay as they are',
    params: z.object({ clientId: z.string() }),
    body: clients,
    limit: LARGE_BODY_BYTES,
  }),
  resetAllClientTraffics: post('/resetAllClientTraffics/:id', {
    summary: 'Zero the counters of every client of an inbound; -1 = of every inbound',
    params: z.object({ id: IdOrAll }),
  }),
  delDepletedClients: post('/delDepletedClients/:id', {
    summary: 'Delete the depleted clients of an inbound; -1 = of every inbound',
    params: z.object({ id: IdOrAll }),
  }),
  onlines: post('/onlines', { summary: 'Emails of the clients that are connected', reply: z.array(z.string()) }),
  lastOnline: post('/lastOnline', {
    summary: 'When each client was last connected',
    reply: z.union([z.array(LastOnline), z.record(z.string(), z.int())]),
  }),
  getSubLinks: get('/getSubLinks/:subId', {
    summary: 'The links of a subscription',
    params: z.object({ subId: z.string() }),
    reply: z.array(z.string()),
  }),
  getClientLinks: get('/getClientLinks/:id/:email', {
    summary: 'The links of one client',
    params: inboundAndEmail,
    reply: z.array(z.string()),
  }),
  updateClientTraffic: post('/updateClientTraffic/:email', {
    summary: 'Set the counters of a client by hand, in bytes',
    params: email,
    body: body({ upload: bytes, download: bytes }),
  }),
  copyClients: post('/:id/copyClients', {
    summary: 'Copy clients of another inbound, with credentials of their own',
    params: z.object({ id: Id }),
    body: body({ sourceInboundId: requiredWhole({ min: 0 }), clientEmails: texts, flow: text }),
    reply: Copied,
  }),
  delClient: post('/:id/delClient/:clientId', {
    summary: 'Delete a client by its id or password',
    params: inboundAndKey,
  }),
  delClientByEmail: post('/:id/delClientByEmail/:email', {
    summary: 'Delete a client by email',
    params: inboundAndEmail,
  }),
  resetClientTraffic: post('/:id/resetClientTraffic/:email', {
    summary: 'Zero the counters of one client',
    params: inboundAndEmail,
  }),
});
