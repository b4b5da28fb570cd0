import type { SingleCommand } from '../../../../commands/catalog.js';
import type { ClientDraft } from '../../../../commands/client/credentials.js';
import type { ClientMove } from '../../../../commands/client/move.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { ClientNumber } from '../../../../events/ids.js';
import type { Inbound } from '../../../../events/inbound/inbound-document.js';
import { message } from '../../../../messages/message.js';
import { messageOf } from '../../answers.js';
import { clientDraft } from '../../codec/client.js';
import type { Needs } from '../../context.js';
import type { clientListRoutes } from '../../contract/clients/list.js';
import type { RequestOf } from '../../contract/route.js';
import type { Handlers } from '../../mount.js';
import { formerOwners } from './former-owners.js';

type Restored = RequestOf<(typeof clientListRoutes)['restore']>['body'];

/**
 * Adds deleted clients again, moves clients back, and sets counters and terms to what they were, in one append. A role that
 * may add a client again may also give it its counters back, so these are decided together.
 */
export const restoreClients: Handlers<typeof clientListRoutes, Needs<'read' | 'audit'>>['restore'] = async (
  { body: { terms: asked, counters, deleted, moved } },
  services,
  { change },
) => {
  const commands: SingleCommand[] = [];
  for (const command of [await addingAgain(deleted, services), movingBack(moved, services.read)]) {
    if (command instanceof Rejection) return command;
    commands.push(...command);
  }
  const terms = asked.map(({ client, ...rest }) => ({ client: client as ClientNumber, ...rest }));
  commands.push({ type: 'ChangeClientTerms', data: { terms } }, { type: 'AdjustClientsTraffic', data: { counters } });
  const done = await change(() => ({ type: 'Sequence', data: { commands } }));
  return messageOf(done, message('client.restored'));
};

function movingBack(moved: Restored['moved'], read: Needs<'read'>['read']): readonly SingleCommand[] | Rejection {
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
  return moves.length === 0 ? [] : [{ type: 'MoveClients', data: { moves } }];
}

async function addingAgain(
  deleted: Restored['deleted'],
  services: Needs<'read' | 'audit'>,
): Promise<readonly SingleCommand[] | Rejection> {
  const drafts = new Map<Inbound, ClientDraft[]>();
  for (const { inbound: id, client } of deleted) {
    const inbound = services.read.inbounds.get(id);
    if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const its = drafts.get(inbound) ?? [];
    its.push(clientDraft(client, inbound.protocol));
    drafts.set(inbound, its);
  }
  const commands: SingleCommand[] = [];
  for (const [inbound, clients] of drafts) {
    const emails = clients.map(({ identity }) => identity.email);
    const owners = await formerOwners(services, emails, inbound.id);
    commands.push({ type: 'AddClients', data: { inbound: inbound.id, clients, owners } });
  }
  return commands;
}
