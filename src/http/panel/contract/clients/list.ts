import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, LARGE_BODY_BYTES, post, routes } from '../route.js';
import { ClientTraffic, WireClient } from '../schemas/client.js';
import { body, Id, optionalFlag, optionalWhole, text, whole } from '../schemas/fields.js';
import { PageSettings } from '../settings/settings.js';

/** The names are those of the queries of `projections/queries/client-list.ts`; the compiler compares them in the handler. */
const STATES = ['all', 'enabled', 'active', 'expiring', 'high', 'depleted', 'expired', 'disabled'] as const;
/** Formats that configure an app, beside share links. `json` is that of the core. */
export const PROFILES = ['json', 'clash', 'sing-box'] as const;
const SORTS = ['email', 'inbound', 'state', 'used', 'expiry', 'seen', 'comment', 'created'] as const;
export const CLIENT_ACTIONS = ['enable', 'disable', 'reset', 'extend', 'addTraffic', 'move', 'delete'] as const;
/** The most rows of one page. */
const MAX_LIMIT = 500;
const YEARS_100 = 36_500;

const oneOf = <const T extends readonly [string, ...string[]]>(known: T) =>
  z.enum(known, issue('input.notOneOf', { known }));

const filter = {
  /** A part of the email, UUID, subscription id, comment or chat id. */
  search: text,
  /** `enabled` = all but the disabled ones; `active` = those that can connect. */
  state: oneOf(STATES).default('all'),
  /** Whether the client is connected now; absent = all. */
  online: optionalFlag,
  /** Number of the inbound; 0 = all. */
  inbound: whole({ min: 0 }),
  /** Number of the node of the inbound; 0 = this panel, absent = all. */
  node: optionalWhole({ min: 0 }),
};
/** Which page of a list; a limit of 0 is 100. */
const page = { offset: whole({ min: 0 }), limit: whole({ min: 0, max: MAX_LIMIT }) };
const order = { sort: oneOf(SORTS).default('email'), order: oneOf(['asc', 'desc']).default('asc') };

/** A client in a list: its counters, and what else a list shows. It contains no credential but the UUID. */
const ClientRow = ClientTraffic.extend({
  state: z.enum(['active', 'expiring', 'high', 'depleted', 'expired', 'disabled']),
  /** What an admin has set; `enable` is false as well for a client over its cap or expiry. */
  enabled: z.boolean(),
  online: z.boolean(),
  comment: z.string(),
  limitIp: z.int(),
  createdAt: z.int(),
}).meta({ id: 'ClientRow' });

const Counts = z.object({
  /** With the state of the request, whatever its `online` is. */
  ...{ online: z.int(), offline: z.int() },
  /** With the `online` of the request, whatever its state is. */
  ...{ all: z.int(), enabled: z.int(), active: z.int(), expiring: z.int(), high: z.int() },
  ...{ depleted: z.int(), expired: z.int(), disabled: z.int() },
});

const ClientPage = z
  .object({
    clients: z.array(ClientRow),
    /** How many clients match. */
    matched: z.int(),
    /** Bytes that all matching clients have used. */
    used: z.int(),
    /** How many clients match the search and the inbound, by state and by connection. */
    counts: Counts,
    /**
     * Whether the search is a part of the email, comment or chat id of a client. Another one may be a credential, which
     * belongs in no address.
     */
    named: z.boolean(),
  })
  .meta({ id: 'ClientPage' });

const ClientInbound = z.object({
  ...{ id: z.int(), remark: z.string(), tag: z.string(), protocol: z.string(), port: z.int(), enable: z.boolean() },
  /** The node whose core listens; 0 = this panel. */
  nodeId: z.int(),
  /** How many clients it has. */
  clients: z.int(),
  /** The cipher of shadowsocks; empty for other protocols. */
  method: z.string(),
  /** Whether the transport supports the flow `xtls-rprx-vision`. */
  vision: z.boolean(),
});

const Numbers = z.array(z.int());
/** What takes a change of many clients back, for `/restore`. */
const Undo = z.object({
  terms: z.array(
    z.object({
      client: z.int(),
      enabled: z.boolean().optional(),
      capBytes: z.int().optional(),
      expiresAt: z.int().optional(),
    }),
  ),
  counters: z.array(z.object({ email: z.string(), up: z.int(), down: z.int() })),
  /** Deleted clients with their credentials, as in `settings.clients`. */
  deleted: z.array(z.object({ inbound: z.int(), client: z.record(z.string(), z.unknown()) })),
  /** Moved clients by their new numbers, with their former inbound and settings. */
  moved: z.array(z.object({ number: z.int(), inbound: z.int(), client: z.record(z.string(), z.unknown()) })),
});

const Change = z.object({
  /** Numbers of the clients that the request is about. */
  clients: Numbers,
  /** How many of them the action changes. */
  changed: z.int(),
  /** Clients that can connect before and not after, and the other way round. */
  disconnected: z.int(),
  reconnected: z.int(),
  /** Bytes that the clients of the request have used. */
  used: z.int(),
  /** Of moved clients: those that get new credentials, because the protocol of the inbound needs others. */
  rekeyed: z.int(),
  /** Emails of the first clients that change. */
  sample: z.array(z.string()),
  /** Emails of the first clients of each effect. `others` change and connect as before; `same` do not change. */
  names: z.object({
    ...{ disconnected: z.array(z.string()), reconnected: z.array(z.string()) },
    ...{ others: z.array(z.string()), same: z.array(z.string()) },
  }),
  /** Null for a preview, and if nothing changed. */
  undo: Undo.nullable(),
});

/** Clients over all inbounds, for lists of any length. */
export const clientListRoutes = routes('/panel/api/clients', {
  page: get('/page', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Clients of all inbounds that match a search and filters: one page of them, sorted, with totals',
    query: z.object({ ...filter, ...order, ...page }),
    reply: ClientPage,
  }),
  search: post('/search', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary:
      'The same as `/page`, with the search in the body: a UUID or subscription id is in no address and no access log',
    body: body({ ...filter, ...order, ...page }),
    reply: ClientPage,
    acts: false,
  }),
  top: get('/top', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'The ten clients with the most traffic since midnight in the time zone of the panel',
    reply: z.object({
      /** Midnight, in ms since 1970. */
      since: z.int(),
      /** Clients with the same email are one. The one with the most traffic is the first. */
      clients: z.array(z.object({ email: z.string(), bytes: z.int() })),
    }),
  }),
  exported: get('/export', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Download all clients that match a search and filters, sorted, as CSV; without credentials',
    query: z.object({ ...filter, ...order }),
    reply: z.string(),
    media: 'text/csv',
  }),
  exportedSearch: post('/export', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'The same download, with the search in the body',
    body: body({ ...filter, ...order }),
    reply: z.string(),
    media: 'text/csv',
    acts: false,
  }),
  links: get('/links', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'Get the share links of the clients that match a search, one page of clients by email',
    query: z.object({
      ...{ search: filter.search, inbound: filter.inbound, node: filter.node },
      ...page,
    }),
    reply: z.object({
      clients: z.array(z.object({ id: z.int(), email: z.string(), links: z.array(z.string()) })),
      /** How many clients match. */
      matched: z.int(),
    }),
  }),
  inbounds: get('/inbounds', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: "The caller's inbounds that can have clients, without these clients",
    reply: z.array(ClientInbound),
  }),
  subscriptions: get('/subscriptions', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary:
      'Get which subscriptions are on, their addresses without the subscription ID, and the calendar and time zone of the panel',
    reply: PageSettings.pick({
      ...{ subEnable: true, subJsonEnable: true, subClashEnable: true },
      ...{ subURI: true, subJsonURI: true, subClashURI: true, datepicker: true },
    }).extend({
      /** For example Asia/Tehran. */
      zone: z.string(),
    }),
  }),
  details: get('/:email/details', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'A client with its settings and credentials, for each inbound that its email is in',
    params: z.object({ email: z.string() }),
    reply: z.array(
      z.object({
        row: ClientRow,
        /** Changes with each change of `client`. `/inbounds/updateClient` takes it as `expectedVersion`. */
        version: z.string(),
        /** As in `settings.clients` of the inbound. */
        client: z.record(z.string(), z.unknown()),
        /** Addresses that its email was seen at, newest first; `at` in ms since 1970. */
        addresses: z.array(z.object({ ip: z.string(), at: z.int() })),
      }),
    ),
  }),
  profiles: get('/:email/profiles/:id', {
    permission: { resource: 'clients', action: 'read' },
    filtered: true,
    summary: 'The configurations that apps get for one inbound of a client, in each format of subscriptions',
    params: z.object({ email: z.string(), id: Id }),
    reply: z.array(
      z.object({
        format: z.enum(PROFILES),
        /** Empty if the format cannot express the inbound. */
        text: z.string(),
      }),
    ),
  }),
  change: post('/change', {
    permission: { resource: 'clients', action: 'extend' },
    filtered: true,
    summary:
      'Enable, disable, reset, extend (days), addTraffic (bytes), move (to an inbound) or delete clients: those of `clients`, or all that match the filter. With `preview` nothing changes, and the answer says what would',
    body: body({
      action: oneOf(CLIENT_ACTIONS),
      /** Numbers of clients; absent = all that match the filter. */
      clients: Numbers.optional(),
      ...filter,
      /** Numbers of clients that are left out. */
      except: Numbers.default([]),
      days: whole({ min: 0, max: YEARS_100 }),
      bytes: whole({ min: 0 }),
      /** Number of the inbound to which clients move. */
      to: whole({ min: 0 }),
      preview: optionalFlag,
    }),
    reply: Change,
    limit: LARGE_BODY_BYTES,
  }),
  restore: post('/restore', {
    permission: { resource: 'clients', action: 'update' },
    filtered: true,
    summary: 'Take a change of clients back, by the `undo` of its answer',
    body: body({
      terms: Undo.shape.terms.default([]),
      counters: Undo.shape.counters.default([]),
      deleted: z
        .array(z.object({ inbound: z.int(), client: z.record(z.string(), z.unknown()).pipe(WireClient) }))
        .default([]),
      moved: z
        .array(
          z.object({
            ...{ number: z.int(), inbound: z.int() },
            client: z.record(z.string(), z.unknown()).pipe(WireClient),
          }),
        )
        .default([]),
    }),
    limit: LARGE_BODY_BYTES,
  }),
});
