import { randomInt } from 'node:crypto';
import { Rejection, reject } from '../../../../commands/rejection.js';
import type { InboundId, NodeId, UserId } from '../../../../events/ids.js';
import { inSlices, type Steps } from '../../../../lib/time/slices.js';
import { message } from '../../../../messages/message.js';
import { inboundDraft } from '../../codec/inbound.js';
import { inboundForm, inboundSummary, previewLinks } from '../../codec/inbound-form.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { InboundSummary, inboundFormRoutes } from '../../contract/inbounds/form.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { visibleInbounds } from '../../visible-inbounds.js';
import { externalProblem } from './checks.js';
import { inboundImport } from './import.js';
import { storedInbound } from './inbounds.js';

type Services = Needs<'read' | 'now' | 'versions' | 'core' | 'coreSettled' | 'portProblem' | 'pairProblem'>;

/** Ports below are often taken; ports above are given to outgoing connections. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;
const ATTEMPTS = 50;

/** Clients that are counted in one step. */
const STEP = 500;

export const inboundFormHandlers: Handlers<typeof inboundFormRoutes, Services> = {
  ...inboundImport,

  async delete({ params: { id } }, _, { change }) {
    const done = await change(() => ({ type: 'DeleteInbound', data: { inbound: id as InboundId } }));
    if (done instanceof Rejection) return done;
    return new Message(message('inbound.deleted'), { position: done.events[0]?.position ?? 0 });
  },

  overview: (_, services, request) => inSlices(summaries(services, request)),

  form({ params: { id } }, { read, versions }) {
    const inbound = read.inbounds.get(id);
    return inbound ? inboundForm(read, versions, inbound) : reject('INBOUND_NOT_FOUND', { inbound: id });
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

/** All inbounds of the list, with the numbers of their clients. */
function* summaries({ read, now }: Pick<Services, 'read' | 'now'>, request: HttpRequest): Steps<InboundSummary[]> {
  const counts = new Map<InboundId, { clients: number; online: number }>();
  const at = now();
  let done = 0;
  for (const client of read.clients.all()) {
    const count = counts.get(client.inbound) ?? { clients: 0, online: 0 };
    counts.set(client.inbound, count);
    count.clients += 1;
    if (read.usage.isOnline(client, at)) count.online += 1;
    done += 1;
    if (done % STEP === 0) yield;
  }
  const own = visibleInbounds({ read }, request);
  return own.map((inbound) => {
    return inboundSummary(read, inbound, counts.get(inbound.id) ?? { clients: 0, online: 0 }, request.say);
  });
}
