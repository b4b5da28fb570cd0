import { type NodeDraft, readSpec, soundSpec, tokenFlaw } from '../../commands/node-rules.js';
import { type NodeMetric, nodeMetrics, nodeUrl } from '../../commands/ports/nodes.js';
import { NOTHING } from '../../commands/reactors/node-question.js';
import { Rejection, reject } from '../../commands/rejection.js';
import type { NodeId } from '../../events/ids.js';
import { nodeChanges, nodeDraft, wireNode, wireProbe } from '../codec/node.js';
import { wireNodeSync } from '../codec/node-sync.js';
import { type HttpContext, Message } from '../context.js';
import type { nodeRoutes } from '../contract/nodes.js';
import type { Handlers } from '../mount.js';
import { said } from './answers.js';
import { widths } from './histories.js';

const UPDATED = 'The node has been updated.';
/** Addresses that belong to nobody (RFC 5737, RFC 3849), so that examples can be made with them: nothing is hidden there. */
const EXAMPLE = /^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:)/;
const metrics: ReadonlyMap<string, NodeMetric> = new Map(nodeMetrics.map((name) => [name, name]));

export const nodeHandlers: Handlers<typeof nodeRoutes> = {
  list: (_, { read, nodes, say }) => read.nodes().map((node) => wireNode(node, nodes.health(node.id), say)),

  get({ params: { id } }, context) {
    return answerOf(context, id) ?? reject('NODE_NOT_FOUND', { node: id });
  },

  async add({ body }, context) {
    const spec = nodeDraft(body);
    const data = { spec, enabled: body.enable ?? true, token: body.apiToken ?? '' };
    const command = { type: 'AddNode', data } as const;
    const flaw = context.refusalOf(command) ?? (await addressFlaw(context, spec));
    if (flaw) return flaw;
    const done = context.dispatch(command);
    if (done instanceof Rejection) return done;
    const added = done.events.find((event) => event.type === 'NodeAdded');
    return new Message('The node has been added.', added ? answerOf(context, added.data.node) : null);
  },

  async update({ params: { id }, body }, context) {
    const before = context.read.node(id);
    if (!before) return reject('NODE_NOT_FOUND', { node: id });
    const changes = nodeChanges(body, before);
    const data = { node: before.id, changes, enabled: body.enable, token: body.apiToken ?? '' };
    const command = { type: 'UpdateNode', data } as const;
    const flaw = context.refusalOf(command) ?? (await addressFlaw(context, { ...before, ...changes }));
    if (flaw) return flaw;
    const done = context.dispatch(command);
    return done instanceof Rejection ? done : new Message(UPDATED, answerOf(context, id));
  },

  del({ params: { id } }, { read, dispatch }) {
    const inbounds = read.inbounds().filter(({ node }) => node === id).length;
    const done = dispatch({ type: 'DeleteNode', data: { node: id as NodeId } });
    if (done instanceof Rejection) return done;
    const text =
      inbounds === 0
        ? 'The node has been deleted.'
        : 'The node has been deleted; the inbounds that are bound to it stay, and reach nobody any more.';
    return new Message(text, { inbounds });
  },

  setEnable({ params: { id }, body: { enable } }, { dispatch }) {
    return said(dispatch({ type: 'SetNodeEnabled', data: { node: id as NodeId, enabled: enable } }), UPDATED);
  },

  async test({ body }, { nodes, say }) {
    // A node that is tried out needs no name yet.
    const spec = readSpec({ ...nodeDraft(body), name: 'test' });
    if (typeof spec === 'string') return wireProbe({ status: 'offline', ...NOTHING, error: spec }, say);
    const token = (body.apiToken ?? '').trim();
    const flaw = tokenFlaw(token);
    return flaw ?? wireProbe(await nodes.test({ ...spec, token }), say);
  },

  async probe({ params: { id } }, { read, nodes, say }) {
    const node = read.node(id);
    return node ? wireProbe(await nodes.probe(node), say) : reject('NODE_NOT_FOUND', { node: id });
  },

  sync({ params: { id } }, context) {
    const node = context.read.node(id);
    return node ? wireNodeSync(context, node) : reject('NODE_NOT_FOUND', { node: id });
  },

  history({ params: { id, metric, bucket } }, { read, nodeHistories }) {
    const known = metrics.get(metric);
    const width = widths.get(bucket);
    if (known === undefined) return reject('METRIC_INVALID', { known: nodeMetrics });
    if (width === undefined) return reject('BUCKET_INVALID');
    const node = read.node(id);
    return node ? [...nodeHistories.history(node.id, known, width)] : reject('NODE_NOT_FOUND', { node: id });
  },
};

/** Why the panel would not ask this address, or null. Looks names up. */
async function addressFlaw({ web }: HttpContext, draft: NodeDraft): Promise<Rejection | null> {
  const spec = soundSpec(draft);
  if (spec instanceof Rejection) return spec;
  if (EXAMPLE.test(spec.host)) return null;
  const flaw = await web.flaw(nodeUrl(spec), { allowPrivate: spec.allowPrivateAddress });
  return flaw === null ? null : reject('NODE_ADDRESS_PRIVATE', { host: spec.host });
}

function answerOf({ read, nodes, say }: HttpContext, id: number) {
  const node = read.node(id);
  return node ? wireNode(node, nodes.health(node.id), say) : null;
}
