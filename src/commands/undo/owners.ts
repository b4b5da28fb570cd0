import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../../events/catalog.js';
import { type Client, emailKey } from '../../events/client/client-document.js';
import { type ClientNumber, UserId } from '../../events/ids.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { message } from '../../messages/message.js';
import type { PanelState } from '../state.js';
import { CHANGED_SINCE, type CompensatingCommand, DELETED_SINCE, type Obstacle } from './planning.js';

/** The owner of a client before and after a command; null = none. Of a deleted client only `before` counts. */
export interface OwnerStep {
  readonly before: UserId | null;
  readonly after: UserId | null;
}

/** Headers that are read, or clients that are looked up, before other work gets a turn. */
const PAGE = 300;
const CLIENTS_PER_TURN = 20;

/** The owners of the clients that a command deleted or gave another owner. `deleted`: the numbers of the deleted ones. */
export async function ownerSteps(
  log: LogSearch,
  events: readonly RecordedEvent[],
  deleted: readonly ClientNumber[],
): Promise<ReadonlyMap<ClientNumber, OwnerStep>> {
  const after = new Map<ClientNumber, UserId | null>(deleted.map((client) => [client, null]));
  const first = events[0]?.position ?? 0;
  for (const event of events)
    if (event.type === 'OwnerAssigned') for (const client of event.data.clients) after.set(client, event.data.owner);
  const before = await ownersBefore(log, first, new Set(after.keys()));
  return new Map([...after].map(([client, owner]) => [client, { before: before.get(client) ?? null, after: owner }]));
}

/** The owners that clients had before a position, also deleted ones; null = none. */
export async function ownersBefore(
  log: LogSearch,
  position: number,
  clients: ReadonlySet<ClientNumber>,
): Promise<ReadonlyMap<ClientNumber, UserId | null>> {
  const owners = await assignedBefore(log, position, clients);
  let looked = 0;
  for (const client of clients) {
    if (owners.has(client)) continue;
    const [added] = log.earlier(`client-${client}`, position, ['ClientAdded']);
    owners.set(client, added ? adminOf(log, added) : null);
    looked += 1;
    if (looked % CLIENTS_PER_TURN === 0) await nextTurn();
  }
  return owners;
}

/** The owners that were assigned to the clients before a position, the newest of each. */
async function assignedBefore(log: LogSearch, position: number, clients: ReadonlySet<ClientNumber>) {
  const found = new Map<ClientNumber, UserId | null>();
  for (let before = position; before > 1 && found.size < clients.size; await nextTurn()) {
    const { headers, next } = log.ofStream('client-owners', before, PAGE);
    for (const header of headers) {
      const event = log.event(header.position);
      if (event?.type !== 'OwnerAssigned') continue;
      const { owner, clients: assigned } = event.data;
      for (const client of assigned) if (clients.has(client) && !found.has(client)) found.set(client, owner);
    }
    before = next;
  }
  return found;
}

/** The admin who caused an event, or to whom its token belonged; null = none. */
function adminOf(log: LogSearch, { position, meta: { actor } }: RecordedEvent): UserId | null {
  if (actor.kind === 'user') return UserId.parse(Number(actor.id));
  if (actor.kind !== 'token') return null;
  const [token] = log.earlier(`token-${actor.id}`, position, ['TokenCreated', 'TokenChanged']);
  return token?.type === 'TokenCreated' || token?.type === 'TokenChanged' ? token.data.admin : null;
}

/** The clients that an undo added again, by the number of their former inbound and their email. */
export class AddedAgain {
  readonly #numbers = new Map<string, ClientNumber>();

  /** Notes the clients in the events of a compensation. `document`: what it is about, such as `inbound-3`. */
  note(document: string, events: readonly RecordedEvent[]): void {
    const [noun, former] = document.split('-');
    for (const { type, data } of events) {
      if (type !== 'ClientAdded') continue;
      const inbound = noun === 'inbound' ? Number(former) : data.inbound;
      this.#numbers.set(`${inbound} ${emailKey(data.identity.email)}`, data.client);
    }
  }

  numberOf({ inbound, identity }: Client): ClientNumber | undefined {
    return this.#numbers.get(`${inbound} ${emailKey(identity.email)}`);
  }
}

/** The command that gives clients their owners of before, or null, and the owners that cannot come back. */
export function ownersBack(
  steps: ReadonlyMap<ClientNumber, OwnerStep>,
  past: ReadonlyMap<ClientNumber, { readonly before: Client | null; readonly after: Client | null }>,
  state: PanelState,
  again: AddedAgain,
): { readonly command: CompensatingCommand | null; readonly obstacles: readonly Obstacle[] } {
  const owners: { client: ClientNumber; owner: UserId | null }[] = [];
  const obstacles: Obstacle[] = [];
  for (const [number, { before, after }] of steps) {
    const step = past.get(number);
    // A client that the command added leaves again, and its owner with it.
    if (step && step.before === null) continue;
    const wasDeleted = step?.before && step.after === null;
    const client = wasDeleted ? again.numberOf(step.before) : number;
    if (client === undefined) continue; // it is not added again, and an obstacle says why
    const name = (step?.before ?? state.clients.get(number))?.identity.email ?? '';
    const cannot = (why: Obstacle['why']) =>
      obstacles.push({ document: `client-${number}`, name, field: 'owner', why });
    const current = state.access.owners.get(client) ?? null;
    const exists = before === null || state.users.has(before);
    if (!state.clients.has(client)) cannot(DELETED_SINCE);
    else if (current === before) continue;
    else if (!wasDeleted && current !== after) cannot(CHANGED_SINCE);
    else {
      if (!exists) cannot(message('undo.ownerGone'));
      if (exists || wasDeleted) owners.push({ client, owner: exists ? before : null });
    }
  }
  return { command: owners.length > 0 ? { type: 'RestoreOwners', data: { owners } } : null, obstacles };
}
