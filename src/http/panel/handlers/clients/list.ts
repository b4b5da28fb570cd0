import type { z } from 'zod';
import { hasClients } from '../../../../commands/client/credentials.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import { hidesSecretsOf } from '../../../../events/access/secret-readers.js';
import type { Client } from '../../../../events/client/client-document.js';
import type { Inbound } from '../../../../events/inbound/inbound-document.js';
import { textOf } from '../../../../lib/json.js';
import { zoneNamed } from '../../../../lib/time/calendar.js';
import { inSlices } from '../../../../lib/time/slices.js';
import { clientListSteps, listClients, stateOf } from '../../../../projections/queries/client-list.js';
import { formatNamed } from '../../../../projections/subscription/formats/format.js';
import { wireClient } from '../../codec/client.js';
import { clientLines } from '../../codec/client-csv.js';
import { clientTraffic } from '../../codec/client-traffic.js';
import { clientVersion } from '../../codec/client-version.js';
import { supportsVision } from '../../codec/inbound.js';
import { linksForClient, profileForClient } from '../../codec/links.js';
import { pageSettings } from '../../codec/settings.js';
import type { HttpRequest, Needs } from '../../context.js';
import { type clientListRoutes, PROFILES } from '../../contract/clients/list.js';
import type { Handlers } from '../../mount.js';
import { TextStream } from '../../outcomes.js';
import { visibleInbounds } from '../../visible-inbounds.js';
import { namesOf, planOf, withNumbers } from './change.js';
import { restoreClients } from './restore.js';

type Services = Needs<'audit' | 'ledger' | 'now' | 'read' | 'subPort' | 'versions'>;

const DEFAULT_LIMIT = 100;
/** How many clients the list of those with the most traffic has. */
const TOP = 10;
/** Emails in the answer of a change, for people to recognize. */
const SAMPLE = 5;

export const clientListHandlers: Handlers<typeof clientListRoutes, Services> = {
  page: ({ query }, services, request) => pageOf(query, services, request),
  search: ({ body }, services, request) => pageOf(body, services, request),

  async top(_, { read, now, ledger }, request) {
    const answer = await ledger((books) => {
      const day = books.days.of(now());
      return { since: books.days.begin(day), bytes: books.bytesOn(day) };
    });
    if ('unavailable' in answer)
      return answer.unavailable === 'unready' ? reject('LEDGER_NOT_READY') : reject('LEDGER_WRONG');
    const { since, bytes } = answer.answer;
    const own = ownInbounds(read, request);
    const byEmail = new Map<string, number>();
    for (const [number, more] of bytes) {
      const client = read.clients.get(number);
      if (!client || !own.has(client.inbound)) continue;
      byEmail.set(client.identity.email, (byEmail.get(client.identity.email) ?? 0) + more);
    }
    const ranked = [...byEmail].toSorted(([, one], [, other]) => other - one).slice(0, TOP);
    return { since, clients: ranked.map(([email, used]) => ({ email, bytes: used })) };
  },

  subscriptions(_, { read, subPort }, { requestHost }) {
    const settings = read.settings.current();
    const page = pageSettings(settings, { requestHost, subPort: subPort() });
    const { subEnable, subJsonEnable, subClashEnable, subURI, subJsonURI, subClashURI, datepicker } = page;
    const zone = zoneNamed(settings.timeLocation);
    return { subEnable, subJsonEnable, subClashEnable, subURI, subJsonURI, subClashURI, datepicker, zone };
  },

  exported: ({ query }, services, request) => exportOf(query, services, request),
  exportedSearch: ({ body }, services, request) => exportOf(body, services, request),

  async links({ query: { offset, limit: most, ...filter } }, { read, now }, request) {
    const at = now();
    const limit = offset + (most || DEFAULT_LIMIT);
    const own = ownInbounds(read, request);
    const { clients, matched } = await inSlices(
      clientListSteps(
        read,
        own,
        selected({ ...filter, state: 'all' }, request),
        { sort: 'email', desc: false, limit },
        at,
      ),
    );
    return {
      matched,
      clients: clients.slice(offset).map((client) => {
        const inbound = read.inbounds.get(client.inbound);
        const links = inbound ? linksForClient(read, inbound, client, request.requestHost, at) : [];
        return { id: client.number, email: client.identity.email, links: [...links] };
      }),
    };
  },

  inbounds: (_, { read }, request) =>
    visibleInbounds({ read }, request)
      .filter(({ protocol }) => hasClients(protocol))
      .map((inbound) => ({
        ...{ id: inbound.id, remark: inbound.remark, tag: inbound.tag, protocol: inbound.protocol },
        ...{ port: inbound.port, enable: inbound.enabled && inbound.depletion === null, nodeId: inbound.node ?? 0 },
        clients: read.clients.ofInbound(inbound.id).length,
        method: inbound.protocol === 'shadowsocks' ? textOf(inbound.config.settings['method']) : '',
        vision: supportsVision(inbound),
      })),

  details({ params: { email } }, { read, now, versions }) {
    const clients = read.clients.byEmail(email);
    if (clients.length === 0) return reject('CLIENT_NOT_FOUND', { client: email });
    const at = now();
    return clients.map((client) => ({
      row: rowOf(read, client, at),
      version: clientVersion(versions, client),
      client: wireClient(client),
      addresses: read.usage.addresses(client).map(([ip, seen]) => ({ ip, at: seen })),
    }));
  },

  profiles({ params: { email, id } }, { read, now }, { requestHost: host }) {
    const inbound = read.inbounds.get(id);
    const client = inbound && read.clients.inInbound(inbound.id, email);
    if (!client) return reject('CLIENT_NOT_FOUND', { client: email });
    return PROFILES.map((format) => ({
      format,
      text: profileForClient(read, { inbound, client }, formatNamed(format) ?? 'xray', { host, now: now() }),
    }));
  },

  async change({ body }, { read, now }, request) {
    const { dispatch, change, refusalOf } = request;
    if (body.action === 'move' && !read.inbounds.get(body.to)) return reject('INBOUND_NOT_FOUND', { inbound: body.to });
    const chosen = body.clients ?? matching(read, request, body, now());
    const left = new Set(body.except);
    const numbers = chosen.filter((number) => !left.has(number));
    const plan = () => planOf(body, documents(read, numbers), read, now());
    const before = plan();
    const answer = {
      clients: numbers,
      ...{ changed: before.changed.length, disconnected: before.disconnected.length },
      reconnected: before.reconnected.length,
      ...{ used: usedByAll(read, numbers), rekeyed: before.rekeyed },
      sample: before.changed.slice(0, SAMPLE).map(({ identity }) => identity.email),
      names: namesOf(before, documents(read, numbers), SAMPLE),
      undo: null,
    };
    if (before.command === null) return answer;
    if (body.preview === true)
      return (before.command.type === 'MoveClients' ? refusalOf(before.command) : null) ?? answer;
    // Counters may have been recorded meanwhile, so what takes the change back is computed in the same step.
    let undo = before.undo;
    if (before.command.type === 'ChangeClientTerms') {
      const done = dispatch(before.command);
      return done instanceof Rejection ? done : { ...answer, undo };
    }
    const { command } = before;
    const done = await change(() => {
      const latest = plan();
      undo = latest.undo;
      return latest.command?.type === command.type ? latest.command : command;
    });
    if (done instanceof Rejection) return done;
    return { ...answer, undo: withNumbers(undo, done.events) };
  },

  restore: restoreClients,
};

type Reads = Pick<Services, 'now' | 'read'>;
type Order = Pick<z.infer<typeof clientListRoutes.page.query>, 'sort' | 'order'>;
type Wanted = Parameters<typeof listClients>[2] & Order;

async function pageOf(
  { sort, order, offset, limit: most, ...filter }: Wanted & { readonly offset: number; readonly limit: number },
  { read, now }: Reads,
  caller: Caller,
) {
  const at = now();
  const limit = offset + (most || DEFAULT_LIMIT);
  const own = ownInbounds(read, caller);
  const list = await inSlices(
    clientListSteps(read, own, selected(filter, caller), { sort, desc: order === 'desc', limit }, at),
  );
  const { clients, ...totals } = list;
  return { clients: clients.slice(offset).map((client) => rowOf(read, client, at)), ...totals };
}

async function exportOf({ sort, order, ...filter }: Wanted, { read, now }: Reads, caller: Caller): Promise<TextStream> {
  const at = now();
  const list = clientListSteps(
    read,
    ownInbounds(read, caller),
    selected(filter, caller),
    { sort, desc: order === 'desc' },
    at,
  );
  const { clients } = await inSlices(list);
  const name = `clients-${new Date(at).toISOString().slice(0, 10)}.csv`;
  return new TextStream({ media: 'text/csv', name, lines: clientLines(read, clients, at) });
}

type Caller = Pick<HttpRequest, 'access' | 'userId'>;

/** A search for parts of a credential would reveal it, part by part. */
const selected = (filter: Parameters<typeof listClients>[2], { access }: Caller): typeof filter => ({
  ...filter,
  ignoresIds: hidesSecretsOf('clients', access),
});

const ownInbounds = (read: Services['read'], caller: Caller): ReadonlySet<Inbound['id']> =>
  new Set(visibleInbounds({ read }, caller).map(({ id }) => id));

function matching(
  read: Services['read'],
  request: Caller,
  filter: Parameters<typeof listClients>[2],
  now: number,
): readonly number[] {
  const list = listClients(read, ownInbounds(read, request), filter, { sort: 'email', desc: false }, now);
  return list.clients.map(({ number }) => number);
}

/** Clients that share an email share its counters, so the part of each client is added. */
function usedByAll(read: Services['read'], numbers: readonly number[]): number {
  return documents(read, numbers).reduce((sum, client) => {
    const { up, down } = read.usage.clientAlone(client);
    return sum + up + down;
  }, 0);
}

const documents = (read: Services['read'], numbers: readonly number[]): readonly Client[] =>
  numbers.flatMap((number) => read.clients.get(number) ?? []);

function rowOf(read: Services['read'], client: Client, now: number) {
  return {
    ...clientTraffic(read, client),
    state: stateOf(read, client, now),
    enabled: client.spec.enabled,
    online: read.usage.isOnline(client, now),
    comment: client.identity.comment,
    limitIp: client.spec.limitIp,
    createdAt: client.createdAt,
  };
}
