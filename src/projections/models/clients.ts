import type { RecordedEvent } from '../../events/catalog.js';
import { type Client, emailKey, evolveClients } from '../../events/client/client-document.js';
import { EmailIndex } from '../../events/client/email-index.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { ManyMap } from '../../lib/many-map.js';
import { type DeletedClient, DeletedClients } from './deleted-clients.js';

/** Clients by number, in the order in which they were added, with indexes. */
export interface Clients {
  readonly byNumber: Map<ClientNumber, Client>;
  readonly ofInbound: ManyMap<InboundId, ClientNumber>;
  readonly byEmail: EmailIndex;
  readonly bySubId: ManyMap<string, ClientNumber>;
  /** By the `id` of the credential, for `getClientTrafficsById`. */
  readonly byId: ManyMap<string, ClientNumber>;
  readonly deleted: DeletedClients;
}

/** The value in a snapshot, without the indexes. */
export interface SavedClients {
  readonly clients: Map<ClientNumber, Client>;
  readonly deleted: readonly DeletedClient[];
}

export const clients: Fold<Clients> = {
  name: 'clients',
  version: 3,
  ignores: TRAFFIC,
  initial: () => ({
    byNumber: new Map(),
    ofInbound: new ManyMap(),
    byEmail: new EmailIndex(),
    bySubId: new ManyMap(),
    byId: new ManyMap(),
    deleted: new DeletedClients(),
  }),
  apply(state, event) {
    const number = clientOf(event);
    const before = number === undefined ? undefined : state.byNumber.get(number);
    state.deleted.apply(event, before);
    if (number === undefined) return;
    evolveClients(state.byNumber, event);
    const after = state.byNumber.get(number);
    if (before === after || (before && after && hasSameKeys(before, after))) return;
    if (before) unlink(state, before, after);
    if (after) link(state, after);
  },
  save: ({ byNumber, deleted }): SavedClients => ({ clients: byNumber, deleted: deleted.save() }),
  load(saved: SavedClients) {
    const state = clients.initial();
    for (const client of saved.deleted) state.deleted.put(client);
    for (const client of saved.clients.values()) putClient(state, client);
    return state;
  },
};

/** An empty state for many clients, of which few readers use the indexes by subscription and by credential. */
export function lateClients(): Clients {
  const state = clients.initial();
  function* keys(keyOf: (client: Client) => string): Iterable<readonly [string, ClientNumber]> {
    for (const client of state.byNumber.values()) if (keyOf(client) !== '') yield [keyOf(client), client.number];
  }
  return {
    ...state,
    bySubId: new ManyMap(() => keys(({ identity }) => identity.subId)),
    byId: new ManyMap(() => keys(({ credential }) => credential.id)),
  };
}

/** Adds a client to the end of a state without it. */
export function putClient(state: Clients, client: Client): void {
  state.byNumber.set(client.number, client);
  link(state, client);
}

function clientOf(event: RecordedEvent): ClientNumber | undefined {
  return 'client' in event.data ? event.data.client : undefined;
}

/** Whether two versions of a client have the same entries in the indexes. New terms, for example, leave these objects as they are. */
function hasSameKeys(before: Client, after: Client): boolean {
  const { inbound, identity, credential } = after;
  return before.inbound === inbound && before.identity === identity && before.credential === credential;
}

function link(state: Clients, client: Client): void {
  state.byEmail.add(client.identity.email, client.number);
  state.ofInbound.add(client.inbound, client.number);
  if (client.identity.subId !== '') state.bySubId.add(client.identity.subId, client.number);
  if (client.credential.id !== '') state.byId.add(client.credential.id, client.number);
}

/** Removes `before` from the indexes where `after` has another key. */
function unlink(state: Clients, before: Client, after: Client | undefined): void {
  const { email } = before.identity;
  if (!after || emailKey(after.identity.email) !== emailKey(email)) state.byEmail.remove(email, before.number);
  if (after?.identity.subId !== before.identity.subId) state.bySubId.remove(before.identity.subId, before.number);
  if (after?.credential.id !== before.credential.id) state.byId.remove(before.credential.id, before.number);
  if (!after) state.ofInbound.remove(before.inbound, before.number);
}
