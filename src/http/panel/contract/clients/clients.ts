import { z } from 'zod';
import { get, LARGE_BODY_BYTES, post, routes } from '../route.js';
import { ClientsText, ClientTraffic } from '../schemas/client.js';
import { body, Id, IdOrAll, optionalText, optionalWhole, requiredWhole, text, texts } from '../schemas/fields.js';

const email = z.object({ email: z.string() });
/** Absent = unchanged. No other value counts as 0, because that would erase usage. */
const bytes = optionalWhole({ min: 0, from: 'json' });
const inboundAndEmail = z.object({ id: Id, email: z.string() });
const inboundAndKey = z.object({ id: Id, clientId: z.string() });
/** An inbound and, as a JSON string, settings with the clients to change. */
const clients = body({ id: requiredWhole({ min: 0 }), settings: ClientsText });
/** The same, and the version of the client that the caller edited; if it has another one, it is not changed. */
const client = body({ id: requiredWhole({ min: 0 }), settings: ClientsText, expectedVersion: optionalText });
const Copied = z.object({ added: z.array(z.string()), skipped: z.array(z.string()), errors: z.array(z.string()) });
const LastOnline = z.object({ email: z.string(), lastOnline: z.int() });

/** Clients of inbounds. Paths that begin with a number come last, so that they shadow no others. */
export const clientRoutes = routes('/panel/api/inbounds', {
  getClientTraffics: get('/getClientTraffics/:email', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Get the counters, cap and expiry of a client',
    params: email,
    reply: ClientTraffic,
    hot: true,
  }),
  getClientTrafficsById: get('/getClientTrafficsById/:id', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Get the counters, caps and expiries of clients by UUID or subscription ID',
    params: z.object({ id: z.string() }),
    reply: z.union([ClientTraffic, z.array(ClientTraffic)]),
  }),
  clientIps: post('/clientIps/:email', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'List the IP addresses that a client has used, newest first',
    params: email,
    reply: z.array(z.string()),
  }),
  clearClientIps: post('/clearClientIps/:email', {
    permission: { resource: 'clients', action: 'reset' },
    filtered: true,
    summary: 'Delete the recorded IP addresses of a client',
    params: email,
  }),
  addClient: post('/addClient', {
    permission: { resource: 'clients', action: 'create' },
    filtered: true,
    summary: 'Add one or more clients to an inbound',
    body: clients,
    limit: LARGE_BODY_BYTES,
  }),
  updateClient: post('/updateClient/:clientId', {
    permission: { resource: 'clients', action: 'extend' },
    filtered: true,
    summary: 'Change a client; absent members are unchanged. With `expectedVersion` only if it still has that version',
    params: z.object({ clientId: z.string() }),
    body: client,
    limit: LARGE_BODY_BYTES,
  }),
  resetAllClientTraffics: post('/resetAllClientTraffics/:id', {
    permission: { resource: 'clients', action: 'reset' },
    summary: 'Reset the counters of all clients of an inbound; -1 = of all inbounds',
    params: z.object({ id: IdOrAll }),
  }),
  delDepletedClients: post('/delDepletedClients/:id', {
    permission: { resource: 'clients', action: 'delete' },
    summary: 'Delete the depleted clients of an inbound; -1 = of all inbounds',
    params: z.object({ id: IdOrAll }),
  }),
  onlines: post('/onlines', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'List the emails of the connected clients',
    reply: z.array(z.string()),
  }),
  lastOnline: post('/lastOnline', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Get when each client was last connected',
    reply: z.union([z.array(LastOnline), z.record(z.string(), z.int())]),
  }),
  getSubLinks: get('/getSubLinks/:subId', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Get the links of a subscription',
    params: z.object({ subId: z.string() }),
    reply: z.array(z.string()),
  }),
  getClientLinks: get('/getClientLinks/:id/:email', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Get the links of a client',
    params: inboundAndEmail,
    reply: z.array(z.string()),
  }),
  updateClientTraffic: post('/updateClientTraffic/:email', {
    permission: { resource: 'clients', action: 'reset' },
    filtered: true,
    summary: 'Set the counters of a client manually, in bytes',
    params: email,
    body: body({ upload: bytes, download: bytes }),
  }),
  copyClients: post('/:id/copyClients', {
    permission: { resource: 'clients', action: 'create' },
    summary: 'Copy clients from another inbound, with new credentials',
    params: z.object({ id: Id }),
    body: body({ sourceInboundId: requiredWhole({ min: 0 }), clientEmails: texts, flow: text }),
    reply: Copied,
  }),
  delClient: post('/:id/delClient/:clientId', {
    permission: { resource: 'clients', action: 'delete' },
    filtered: true,
    summary: 'Delete a client by its id or password',
    params: inboundAndKey,
  }),
  delClientByEmail: post('/:id/delClientByEmail/:email', {
    permission: { resource: 'clients', action: 'delete' },
    filtered: true,
    summary: 'Delete a client by email',
    params: inboundAndEmail,
  }),
  resetClientTraffic: post('/:id/resetClientTraffic/:email', {
    permission: { resource: 'clients', action: 'reset' },
    filtered: true,
    summary: 'Reset the counters of a client',
    params: inboundAndEmail,
  }),
});
