import { Rejection, reject } from '../../../commands/rejection.js';
import type { InboundId, NodeId, UserId } from '../../../events/ids.js';
import { inboundDraft, type StoredInbound } from '../codec/inbound.js';
import { inboundJson, wireInbound } from '../codec/inbound-wire.js';
import { type HttpContext, Message } from '../context.js';
import type { inboundRoutes } from '../contract/inbounds.js';
import { JsonOf } from '../contract/route.js';
import type { WireInbound } from '../contract/schemas/inbound.js';
import type { Handlers } from '../mount.js';
import { said } from './answers.js';
import { externalFlaw } from './inbound-checks.js';

const CREATED = 'Inbound has been successfully created.';
const CREATED_UNTESTED = 'Inbound has been successfully created; there is no core that could test it.';
const UPDATED = 'Inbound has been successfully updated.';
const UPDATED_UNTESTED = 'Inbound has been successfully updated; there is no core that could test it.';
const STILL_CLOSED = 'The inbound is switched on, but stays closed: its cap or its expiry is reached.';

export const inboundHandlers: Handlers<typeof inboundRoutes> = {
  async list(_, { read, userId, wantsCounters, collect }) {
    if (wantsCounters) await collect();
    const own = read.inbounds.all().filter((inbound) => inbound.owner === userId);
    return JsonOf.list(own.map((inbound) => inboundJson(read, inbound)));
  },

  get({ params: { id } }, { read }) {
    const inbound = read.inbounds.get(id);
    return inbound ? inboundJson(read, inbound) : reject('INBOUND_NOT_FOUND', { inbound: id });
  },

  add: ({ body }, context) => add(context, body),

  import: ({ body: { data } }, context) => add(context, withFreeTag(data, context)),

  async del({ params: { id } }, { change }) {
    const done = await change(() => ({ type: 'DeleteInbound', data: { inbound: id as InboundId } }));
    return done instanceof Rejection ? done : new Message('Inbound has been successfully deleted.', id);
  },

  async update({ params: { id }, body }, context) {
    const before = stored(context, id);
    if (!before) return reject('INBOUND_NOT_FOUND', { inbound: id });
    if (body.nodeId !== undefined && (body.nodeId || null) !== before.inbound.node) return reject('NODE_SETTLED');
    const asked = inboundDraft(body, before);
    if (asked instanceof Rejection) return asked;
    const flaw =
      context.refusalOf({ type: 'UpdateInbound', data: { ...asked, inbound: id as InboundId } }) ??
      (await externalFlaw(context, asked, before.inbound.node, before.inbound));
    if (flaw instanceof Rejection) return flaw;
    const done = await context.change(() => {
      // What the body leaves out is taken from now, not from before the questions.
      const draft = inboundDraft(body, stored(context, id));
      return draft instanceof Rejection
        ? draft
        : { type: 'UpdateInbound', data: { ...draft, inbound: id as InboundId } };
    });
    if (done instanceof Rejection) return done;
    return new Message(flaw === 'untested' ? UPDATED_UNTESTED : UPDATED, answerOf(context, id));
  },

  setEnable({ params: { id }, body: { enable } }, { dispatch, read }) {
    const done = dispatch({ type: 'SetInboundEnabled', data: { inbound: id as InboundId, enabled: enable } });
    const reached = enable ? read.inbounds.get(id)?.depletion : null;
    return said(done, reached ? STILL_CLOSED : UPDATED);
  },

  async resetTraffic({ params: { id } }, { change }) {
    const done = await change(() => ({ type: 'ResetInboundTraffic', data: { inbound: id as InboundId } }));
    return said(done, 'Inbound traffic has been reset.');
  },

  resetAllTraffics: async (_, { change }) =>
    said(await change(() => ({ type: 'ResetAllTraffic', data: {} })), 'All traffic has been reset.'),
};

async function add(context: HttpContext, wire: WireInbound): Promise<Message | Rejection> {
  const asked = inboundDraft(wire);
  if (asked instanceof Rejection) return asked;
  const node = wire.nodeId ? (wire.nodeId as NodeId) : undefined;
  const command = { type: 'AddInbound', data: { ...asked, owner: context.userId as UserId, node } } as const;
  const flaw = context.refusalOf(command) ?? (await externalFlaw(context, asked, node ?? null));
  if (flaw instanceof Rejection) return flaw;
  const done = context.dispatch(command);
  if (done instanceof Rejection) return done;
  const added = done.events.find((event) => event.type === 'InboundAdded');
  return new Message(
    flaw === 'untested' ? CREATED_UNTESTED : CREATED,
    added ? answerOf(context, added.data.inbound) : null,
  );
}

/** An import keeps its tag only while nobody else has it. */
function withFreeTag(wire: WireInbound, { read }: HttpContext): WireInbound {
  return read.inbounds.all().some(({ tag }) => tag === wire.tag) ? { ...wire, tag: '' } : wire;
}

function stored({ read }: HttpContext, id: number): StoredInbound | undefined {
  const inbound = read.inbounds.get(id);
  return inbound && { inbound, clients: read.clients.ofInbound(inbound.id) };
}

function answerOf({ read }: HttpContext, id: number) {
  const inbound = read.inbounds.get(id);
  return inbound ? wireInbound(read, inbound) : null;
}
