import type { AnyCommand } from '../../../../commands/catalog.js';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { InboundId, NodeId, UserId } from '../../../../events/ids.js';
import type { Inbound } from '../../../../events/inbound/inbound-document.js';
import { message } from '../../../../messages/message.js';
import { inboundDraft } from '../../codec/inbound.js';
import { wireInbound } from '../../codec/inbound-wire.js';
import type { Needs } from '../../context.js';
import type { inboundFormRoutes } from '../../contract/inbounds/form.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { formerOwners } from '../clients/former-owners.js';
import { externalProblem } from './checks.js';

type Services = Needs<'read' | 'audit' | 'core' | 'coreSettled' | 'portProblem' | 'pairProblem'>;
type Restoring = Pick<Handlers<typeof inboundFormRoutes, Services>, 'delete' | 'restore'>;
type Restore = Extract<AnyCommand, { type: 'RestoreInbound' }>;

/** The deletion of an inbound, and what takes it back. */
export const inboundRestoring: Restoring = {
  async delete({ params: { id } }, { read }, { change }) {
    const inbound = read.inbounds.get(id);
    if (!inbound) return reject('INBOUND_NOT_FOUND', { inbound: id });
    let deleted = deletedOf(read, inbound);
    const done = await change(() => {
      const latest = read.inbounds.get(id);
      // With the counters that were recorded for this command.
      if (latest) deleted = deletedOf(read, latest);
      return { type: 'DeleteInbound', data: { inbound: id as InboundId } };
    });
    return done instanceof Rejection ? done : new Message(message('inbound.deleted'), deleted);
  },

  async restore({ body: { inbound: wire, used, counters } }, services, { dispatch, refusalOf, userId, wants }) {
    const draft = inboundDraft(wire);
    if (draft instanceof Rejection) return draft;
    const node = wire.nodeId ? (wire.nodeId as NodeId) : undefined;
    const emails = draft.clients.map(({ identity }) => identity.email);
    const owners = await formerOwners(services, emails, null);
    const data = { ...draft, owner: userId as UserId, node, used, counters, owners };
    const command: Restore = { type: 'RestoreInbound', data };
    const problem =
      refusalOf(command) ?? (await externalProblem(services, draft, { node: node ?? null, askedAt: wants.askedAt }));
    if (problem instanceof Rejection) return problem;
    const done = dispatch(command);
    if (done instanceof Rejection) return done;
    const added = done.events.find((event) => event.type === 'InboundAdded');
    return new Message(message('inbound.restored'), added?.data.inbound ?? 0);
  },
};

function deletedOf(read: Services['read'], inbound: Inbound) {
  const {
    id: _id,
    userId: _user,
    up,
    down,
    allTime,
    clientStats,
    lastTrafficResetTime,
    ...wire
  } = wireInbound(read, inbound);
  return {
    // A reached limit is found again when it comes back.
    inbound: { ...wire, enable: inbound.enabled },
    used: { up, down, allTime, resetAt: lastTrafficResetTime },
    counters: clientStats
      .filter(({ email }) => read.clients.byEmail(email).every((client) => client.inbound === inbound.id))
      .map(({ email, up, down }) => ({ email, up, down })),
  };
}
