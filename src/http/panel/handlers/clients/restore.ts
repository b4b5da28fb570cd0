import type { ClientDraft } from '../../../../commands/client/credentials.js';
import type { ClientMove } from '../../../../commands/client/move.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { ClientNumber } from '../../../../events/ids.js';
import type { Inbound } from '../../../../events/inbound/inbound-document.js';
import { message } from '../../../../messages/message.js';
import { messageOf } from '../../answers.js';
import { clientDraft } from '../../codec/client.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { clientListRoutes } from '../../contract/clients/list.js';
import type { RequestOf } from '../../contract/route.js';
import type { Handlers } from '../../mount.js';
import { formerOwners } from './former-owners.js';

type Restored = RequestOf<(typeof clientListRoutes)['restore']>['body'];

/** Adds deleted clients again, moves clients back, and sets counters and terms to what they were. */
export const restoreClients: Handlers<typeof clientListRoutes, Needs<'read' | 'audit'>>['restore'] = async (
  { body: { terms, counters, deleted, moved } },
  services,
  { dispatch, change },
) => {
  const { read } = services;
  const failed = (await addAgain(deleted, services, dispatch)) ?? (await moveBack(moved, read, change));
  if (failed) return failed;
  const data = { terms: terms.map(({ client, ...asked }) => ({ client: client as ClientNumber, ...asked })) };
  const changed = dispatch({ type: 'ChangeClientTerms', data });
  if (changed instanceof Rejection) return changed;
  const done = await change(() => ({ type: 'AdjustClientsTraffic', data: { counters } }));
  return messageOf(done, message('client.restored'));
};

async function moveBack(
  moved: Restored['moved'],
  read: Needs<'read'>['read'],
  change: HttpRequest['change'],
): Promise<Rejection | null> {
  if (moved.length === 0) return null;
  const moves: ClientMove[] = [];
  for (const { number, inbound: id, client } of moved) {
    const inbound = read.inbounds.get(id);
    if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const current = read.clients.get(number);
    // What an admin changed after the move stays.
    const { spec, identity } = current ?? clientDraft(client, inbound.protocol);
    const { credential } = clientDraft(client, inbound.protocol);
    const draft = { spec: { ...spec, flow: client.flow ?? spec.flow }, identity, credential };
    moves.push({ client: number as ClientNumber, inbound: inbound.id, draft });
  }
  const done = await change(() => ({ type: 'MoveClients', data: { moves } }));
  return done instanceof Rejection ? done : null;
}

async function addAgain(
  deleted: Restored['deleted'],
  services: Needs<'read' | 'audit'>,
  dispatch: HttpRequest['dispatch'],
): Promise<Rejection | null> {
  const { read } = services;
  const drafts = new Map<Inbound, ClientDraft[]>();
  for (const { inbound: id, client } of deleted) {
    const inbound = read.inbounds.get(id);
    if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const its = drafts.get(inbound) ?? [];
    its.push(clientDraft(client, inbound.protocol));
    drafts.set(inbound, its);
  }
  for (const [inbound, clients] of drafts) {
    const emails = clients.map(({ identity }) => identity.email);
    const owners = await formerOwners(services, emails, inbound.id);
    const done = dispatch({ type: 'AddClients', data: { inbound: inbound.id, clients, owners } });
    if (done instanceof Rejection) return done;
  }
  return null;
}
