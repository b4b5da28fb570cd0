import { randomInt } from 'node:crypto';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { InboundId, NodeId, UserId } from '../../../../events/ids.js';
import { message } from '../../../../messages/message.js';
import { inboundDraft } from '../../codec/inbound.js';
import { inboundForm, inboundSummary, previewLinks } from '../../codec/inbound-form.js';
import type { Needs } from '../../context.js';
import type { inboundFormRoutes } from '../../contract/inbounds/form.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { visibleInbounds } from '../../visible-inbounds.js';
import { externalProblem } from './checks.js';
import { inboundImport } from './import.js';
import { storedInbound } from './inbounds.js';

type Services = Needs<'read' | 'now' | 'core' | 'coreSettled' | 'portProblem' | 'pairProblem'>;

/** Ports below are often taken; ports above are given to outgoing connections. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;
const ATTEMPTS = 50;

export const inboundFormHandlers: Handlers<typeof inboundFormRoutes, Services> = {
  ...inboundImport,

  async delete({ params: { id } }, _, { change }) {
    const done = await change(() => ({ type: 'DeleteInbound', data: { inbound: id as InboundId } }));
    if (done instanceof Rejection) return done;
    return new Message(message('inbound.deleted'), { position: done.events[0]?.position ?? 0 });
  },

  overview(_, { read, now }, request) {
    const online = new Map<number, number>();
    const at = now();
    for (const client of read.clients.all()) {
      if (read.usage.isOnline(client, at)) online.set(client.inbound, (online.get(client.inbound) ?? 0) + 1);
    }
    const own = visibleInbounds({ read }, request);
    return own.map((inbound) => inboundSummary(read, inbound, online.get(inbound.id) ?? 0, request.say));
  },

  form({ params: { id } }, { read }) {
    const inbound = read.inbounds.get(id);
    return inbound ? inboundForm(read, inbound) : reject('INBOUND_NOT_FOUND', { inbound: id });
  },

  async freePort({ query: { prefer } }, { read, portProblem }) {
    const taken = new Set(read.inbounds.all().map(({ port }) => port));
    let port = 0;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      port = attempt === 0 && prefer > 0 ? prefer : randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
      if (taken.has(port)) continue;
      const problems = [await portProblem('', port, false), await portProblem('', port, true)];
      if (problems.every((problem) => problem === null)) break;
    }
    return port;
  },

  async check({ body: { id, ...wire } }, services, request) {
    const before = storedInbound(services, id ?? 0);
    if (id && !before) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const draft = inboundDraft(wire, before);
    if (draft instanceof Rejection) return draft;
    const node = before ? before.inbound.node : wire.nodeId ? (wire.nodeId as NodeId) : null;
    const refused = request.refusalOf(
      before
        ? { type: 'UpdateInbound', data: { ...draft, inbound: id as InboundId } }
        : { type: 'AddInbound', data: { ...draft, owner: request.userId as UserId, node: node ?? undefined } },
    );
    const problem =
      refused ?? (await externalProblem(services, draft, { node, askedAt: request.wants.askedAt }, before?.inbound));
    return problem instanceof Rejection ? problem : { tested: problem !== 'untested' };
  },

  preview({ body: { id, ...wire } }, services, { requestHost: host }) {
    const before = storedInbound(services, id ?? 0);
    const draft = inboundDraft(wire, before);
    if (draft instanceof Rejection) return draft;
    return previewLinks(services.read, draft, before?.inbound, { host, now: services.now() });
  },
};
