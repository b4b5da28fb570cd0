import { Rejection, reject } from '../../../../commands/rejection.js';
import type { InboundId, NodeId, UserId } from '../../../../events/ids.js';
import { inSlices } from '../../../../lib/time/slices.js';
import { message } from '../../../../messages/message.js';
import { messageOf } from '../../answers.js';
import { inboundDraft, type StoredInbound } from '../../codec/inbound.js';
import { changedSince } from '../../codec/inbound-form.js';
import { inboundPage, inboundPages } from '../../codec/inbound-pages.js';
import { wireInbound } from '../../codec/inbound-wire.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { inboundRoutes } from '../../contract/inbounds/inbounds.js';
import type { WireInbound } from '../../contract/schemas/inbound.js';
import type { Handlers } from '../../mount.js';
import { Message } from '../../outcomes.js';
import { visibleInbounds } from '../../visible-inbounds.js';
import { externalProblem } from './checks.js';

const CREATED = message('inbound.created');
const CREATED_UNTESTED = message('inbound.createdUntested');
const UPDATED = message('inbound.updated');
const UPDATED_UNTESTED = message('inbound.updatedUntested');
const STILL_CLOSED = message('inbound.enabledButClosed');

type Services = Needs<'read' | 'versions' | 'core' | 'collect' | 'coreSettled' | 'portProblem' | 'pairProblem'>;

export const inboundHandlers: Handlers<typeof inboundRoutes, Services> = {
  async list(_, { read, collect }, request) {
    if (request.wants.counters) await collect();
    const own = visibleInbounds({ read }, request);
    return inSlices(inboundPages(read, own));
  },

  get({ params: { id } }, { read }) {
    const inbound = read.inbounds.get(id);
    return inbound ? inSlices(inboundPage(read, inbound)) : reject('INBOUND_NOT_FOUND', { inbound: id });
  },

  add: ({ body }, services, request) => add(services, request, body),

  import: ({ body: { data } }, services, request) => add(services, request, withFreeTag(data, services)),

  async del({ params: { id } }, _, { change }) {
    const done = await change(() => ({ type: 'DeleteInbound', data: { inbound: id as InboundId } }));
    return done instanceof Rejection ? done : new Message(message('inbound.deleted'), id);
  },

  async update({ params: { id }, body: { expectedVersion = '', ...body } }, services, request) {
    const before = storedInbound(services, id);
    if (!before) return reject('INBOUND_NOT_FOUND', { inbound: id });
    const outdated = changedSince(services, before.inbound, expectedVersion);
    if (outdated) return outdated;
    if (body.nodeId !== undefined && (body.nodeId || null) !== before.inbound.node) return reject('NODE_IMMUTABLE');
    const asked = inboundDraft(body, before);
    if (asked instanceof Rejection) return asked;
    const problem =
      request.refusalOf({ type: 'UpdateInbound', data: { ...asked, inbound: id as InboundId } }) ??
      (await externalProblem(
        services,
        asked,
        { node: before.inbound.node, askedAt: request.wants.askedAt },
        before.inbound,
      ));
    if (problem instanceof Rejection) return problem;
    const done = await request.change(() => {
      // Missing members are taken from the state now, not from before the checks.
      const current = storedInbound(services, id);
      const late = current && changedSince(services, current.inbound, expectedVersion);
      if (late) return late;
      const draft = inboundDraft(body, current);
      return draft instanceof Rejection
        ? draft
        : { type: 'UpdateInbound', data: { ...draft, inbound: id as InboundId } };
    });
    if (done instanceof Rejection) return done;
    return new Message(problem === 'untested' ? UPDATED_UNTESTED : UPDATED, answerOf(services, id));
  },

  setEnable({ params: { id }, body: { enable } }, { read }, { dispatch }) {
    const done = dispatch({ type: 'SetInboundEnabled', data: { inbound: id as InboundId, enabled: enable } });
    const reached = enable ? read.inbounds.get(id)?.depletion : null;
    return messageOf(done, reached ? STILL_CLOSED : UPDATED);
  },

  async resetTraffic({ params: { id } }, _, { change }) {
    const done = await change(() => ({ type: 'ResetInboundTraffic', data: { inbound: id as InboundId } }));
    return messageOf(done, message('inbound.trafficReset'));
  },

  resetAllTraffics: async (_, __, { change }) =>
    messageOf(await change(() => ({ type: 'ResetAllTraffic', data: {} })), message('inbound.allTrafficReset')),
};

async function add(services: Services, request: HttpRequest, wire: WireInbound): Promise<Message | Rejection> {
  const draft = inboundDraft(wire);
  if (draft instanceof Rejection) return draft;
  const node = wire.nodeId ? (wire.nodeId as NodeId) : undefined;
  const command = { type: 'AddInbound', data: { ...draft, owner: request.userId as UserId, node } } as const;
  const problem =
    request.refusalOf(command) ??
    (await externalProblem(services, draft, { node: node ?? null, askedAt: request.wants.askedAt }));
  if (problem instanceof Rejection) return problem;
  const done = request.dispatch(command);
  if (done instanceof Rejection) return done;
  const added = done.events.find((event) => event.type === 'InboundAdded');
  return new Message(
    problem === 'untested' ? CREATED_UNTESTED : CREATED,
    added ? answerOf(services, added.data.inbound) : null,
  );
}

/** An import keeps its tag unless another inbound has it. */
function withFreeTag(wire: WireInbound, { read }: Services): WireInbound {
  return read.inbounds.all().some(({ tag }) => tag === wire.tag) ? { ...wire, tag: '' } : wire;
}

export function storedInbound({ read }: Pick<Services, 'read'>, id: number): StoredInbound | undefined {
  const inbound = read.inbounds.get(id);
  return inbound && { inbound, clients: read.clients.ofInbound(inbound.id) };
}

function answerOf({ read }: Services, id: number) {
  const inbound = read.inbounds.get(id);
  return inbound ? wireInbound(read, inbound) : null;
}
