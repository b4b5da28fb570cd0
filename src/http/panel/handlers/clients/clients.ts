import { clientKey } from '../../../../commands/client/credentials.js';
import { reject } from '../../../../commands/rejection.js';
import { type Client, emailKey } from '../../../../events/client/client-document.js';
import type { InboundId } from '../../../../events/ids.js';
import type { Inbound } from '../../../../events/inbound/inbound-document.js';
import { message } from '../../../../messages/message.js';
import { messageOf } from '../../answers.js';
import { clientDraft, wireKey } from '../../codec/client.js';
import { clientTraffic, ipText } from '../../codec/client-traffic.js';
import { clientChangedSince } from '../../codec/client-version.js';
import { linksForClient, linksForSubId } from '../../codec/links.js';
import type { Needs } from '../../context.js';
import type { clientRoutes } from '../../contract/clients/clients.js';
import type { WireClient } from '../../contract/schemas/client.js';
import type { Handlers } from '../../mount.js';
import { copyClients } from './copy.js';

const DELETED = message('client.deleted');
const UPDATED = message('client.updated');
const RESET = message('client.trafficReset');

export const clientHandlers: Handlers<typeof clientRoutes, Needs<'now' | 'read' | 'versions'>> = {
  copyClients,

  getClientTraffics({ params: { email } }, { read }) {
    const client = read.clients.firstByEmail(email);
    return client ? clientTraffic(read, client) : reject('CLIENT_NOT_FOUND', { client: email });
  },

  getClientTrafficsById({ params: { id } }, { read }) {
    const byId = read.clients.byId(id);
    if (read.settings.current().apiDialect === '3x-ui')
      return onePerEmail(byId).map((client) => clientTraffic(read, client));
    const [client] = byId.length > 0 ? byId : read.clients.bySubId(id);
    return client ? clientTraffic(read, client) : reject('CLIENT_NOT_FOUND', { client: id });
  },

  clientIps({ params: { email } }, { read }) {
    const client = read.clients.firstByEmail(email);
    return client ? read.usage.addresses(client).map(ipText) : [];
  },

  clearClientIps({ params: { email } }, _, { dispatch }) {
    return messageOf(dispatch({ type: 'ClearClientIps', data: { email } }), message('client.ipLogCleared'));
  },

  async addClient({ body: { id, settings } }, { read }, { change }) {
    const done = await change(() => {
      const inbound = read.inbounds.get(id);
      if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
      const clients = (settings.clients ?? []).map((wire) => clientDraft(wire, inbound.protocol));
      return { type: 'AddClients', data: { inbound: inbound.id, clients } };
    });
    return messageOf(done, message('client.added'));
  },

  async updateClient({ params: { clientId: key }, body: { id, settings, expectedVersion } }, services, request) {
    const done = await request.change(() => {
      const inbound = services.read.inbounds.get(id);
      if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
      const current = named(services, inbound, key);
      const outdated = current && clientChangedSince(services.versions, current, expectedVersion ?? '');
      if (outdated) return outdated;
      const wire = meant(settings.clients ?? [], inbound, key, current);
      if (!wire) return reject('NO_CLIENTS');
      const draft = clientDraft(wire, inbound.protocol, current);
      const client = current ? { email: current.identity.email } : { key };
      return { type: 'UpdateClient', data: { inbound: inbound.id, client, draft } };
    });
    return messageOf(done, UPDATED);
  },

  async delClient({ params: { id, clientId } }, _, { change }) {
    const data = { inbound: id as InboundId, client: { key: clientId } };
    return messageOf(await change(() => ({ type: 'DeleteClient', data })), DELETED);
  },

  async delClientByEmail({ params: { id, email } }, _, { change }) {
    const data = { inbound: id as InboundId, client: { email } };
    return messageOf(await change(() => ({ type: 'DeleteClient', data })), message('client.deletedByEmail'));
  },

  async resetClientTraffic({ params: { id, email } }, _, { change }) {
    const data = { inbound: id as InboundId, email };
    return messageOf(await change(() => ({ type: 'ResetClientTraffic', data })), RESET);
  },

  async resetAllClientTraffics({ params: { id } }, _, { change }) {
    const done = await change(() => ({ type: 'ResetAllClientTraffic', data: { inbound: oneOrAll(id) } }));
    return messageOf(done, message('client.allTrafficReset'));
  },

  async delDepletedClients({ params: { id } }, _, { change }) {
    const done = await change(() => ({ type: 'DeleteDepletedClients', data: { inbound: oneOrAll(id) } }));
    return messageOf(done, message('client.depletedDeleted'));
  },

  /** A missing member is unchanged. A body with neither would otherwise be an unintended reset. */
  async updateClientTraffic({ params: { email }, body: { upload, download } }, { read }, { change }) {
    if (upload === undefined && download === undefined) {
      const field = message('client.uploadAndDownload');
      return reject('VALUE_OUT_OF_RANGE', { field, why: message('input.oneNeeded') });
    }
    const done = await change(() => {
      const client = read.clients.firstByEmail(email);
      if (!client) return reject('CLIENT_NOT_FOUND', { client: email });
      const now = read.usage.client(client);
      return { type: 'AdjustClientTraffic', data: { email, up: upload ?? now.up, down: download ?? now.down } };
    });
    return messageOf(done, UPDATED);
  },

  onlines: (_, { read, now }) => [...read.usage.onlineEmails(now())],

  lastOnline(_, { read }) {
    const persons = [...read.clients.all()].filter((client) => read.clients.isFirst(client));
    const seen = persons.map((client) => ({ email: client.identity.email, at: read.usage.lastOnline(client) }));
    if (read.settings.current().apiDialect === '3x-ui')
      return Object.fromEntries(seen.map(({ email, at }) => [email, at]));
    return seen.map(({ email, at }) => ({ email, lastOnline: Math.floor(at / 1000) }));
  },

  getSubLinks: ({ params: { subId } }, { read, now }, { requestHost }) => [
    ...linksForSubId(read, subId, requestHost, now()),
  ],

  getClientLinks({ params: { id, email } }, { read, now }, { requestHost }) {
    const inbound = read.inbounds.get(id);
    const client = inbound && read.clients.inInbound(inbound.id, email);
    if (!client) return [];
    return [...linksForClient(read, inbound, client, requestHost, now())];
  },
};

/** In 3x-ui, clients with the same email share one counter row. */
function onePerEmail(clients: readonly Client[]): readonly Client[] {
  const persons = new Map<string, Client>();
  for (const client of clients) {
    const key = emailKey(client.identity.email);
    if (!persons.has(key)) persons.set(key, client);
  }
  return [...persons.values()];
}

const oneOrAll = (id: number): InboundId | 'all' => (id === -1 ? 'all' : (id as InboundId));

/** The client with a path key of its protocol. Only passwords need a linear search. */
function named({ read }: Needs<'read'>, inbound: Inbound, key: string): Client | undefined {
  const wanted = key.toLowerCase();
  const isMeant = (client: Client | undefined): boolean =>
    client?.inbound === inbound.id && clientKey(inbound.protocol, client).toLowerCase() === wanted;
  const byEmail = read.clients.inInbound(inbound.id, key);
  return (
    read.clients.byId(key).find(isMeant) ??
    (isMeant(byEmail) ? byEmail : read.clients.ofInbound(inbound.id).find(isMeant))
  );
}

/** The client that an update is for: some callers send all clients of the inbound, and the path names one. */
function meant(
  clients: readonly WireClient[],
  { protocol }: Inbound,
  key: string,
  current?: Client,
): WireClient | undefined {
  if (clients.length < 2) return clients[0];
  return (
    clients.find((wire) => wireKey(protocol, wire) === key || wire.email === current?.identity.email) ?? clients[0]
  );
}
