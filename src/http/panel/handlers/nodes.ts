import { setTimeout as sleep } from 'node:timers/promises';
import { type NodeDraft, readSpec, tokenError, validSpec } from '../../../commands/node/node-rules.js';
import { type NodeMetric, nodeMetrics } from '../../../commands/ports/node-histories.js';
import { nodeUrl } from '../../../commands/ports/remote-panel.js';
import { NO_LOAD, SELF } from '../../../commands/reactors/nodes/health.js';
import type { Removal } from '../../../commands/reactors/nodes/remove-from-node.js';
import { Rejection, reject } from '../../../commands/rejection.js';
import type { NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { isText, message, type Text } from '../../../messages/message.js';
import { messageOf } from '../answers.js';
import { nodeChanges, nodeDraft, wireNode, wireProbe } from '../codec/node.js';
import { wireNodeSync } from '../codec/node-sync.js';
import type { HttpRequest, Needs } from '../context.js';
import type { nodeRoutes } from '../contract/nodes.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';
import { widths } from './core/histories.js';

const UPDATED = message('node.updated');
/** Addresses that are reserved for documentation (RFC 5737, RFC 3849): no private host can have them. */
const EXAMPLE = /^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:)/;
/** Timeout of the check whether an address is that of this panel, in ms. */
const SELF_MS = 1_000;
const NOTHING_LEFT: Removal = { removed: 0, remaining: 0, kept: 0 };
const metrics: ReadonlyMap<string, NodeMetric> = new Map(nodeMetrics.map((name) => [name, name]));

type Services = Needs<'read' | 'nodes' | 'nodeHistories' | 'web'>;
type Shown = Needs<'read' | 'nodes'>;

export const nodeHandlers: Handlers<typeof nodeRoutes, Services> = {
  list: (_, services, { say }) => services.read.nodes.all().map((node) => wire(services, say, node)),

  get({ params: { id } }, services, { say }) {
    return answerOf(services, say, id) ?? reject('NODE_NOT_FOUND', { node: id });
  },

  async add({ body }, services, request) {
    const spec = nodeDraft(body);
    const data = { spec, enabled: body.enable ?? true, token: body.apiToken ?? '' };
    const command = { type: 'AddNode', data } as const;
    const refused =
      request.refusalOf(command) ??
      (await addressRefusal(services, spec)) ??
      (await selfRefusal(services, spec, data.token));
    if (refused) return refused;
    const done = request.dispatch(command);
    if (done instanceof Rejection) return done;
    const added = done.events.find((event) => event.type === 'NodeAdded');
    return new Message(message('node.added'), added ? answerOf(services, request.say, added.data.node) : null);
  },

  async update({ params: { id }, body }, services, request) {
    const before = services.read.nodes.get(id);
    if (!before) return reject('NODE_NOT_FOUND', { node: id });
    const changes = nodeChanges(body, before);
    const data = { node: before.id, changes, enabled: body.enable, token: body.apiToken ?? '' };
    const command = { type: 'UpdateNode', data } as const;
    const refused = request.refusalOf(command) ?? (await addressRefusal(services, { ...before, ...changes }));
    if (refused) return refused;
    const done = request.dispatch(command);
    if (done instanceof Rejection) return done;
    // Also without changes: an admin who saves a node expects a retry.
    services.nodes.retry(before.id);
    return new Message(UPDATED, answerOf(services, request.say, id));
  },

  async del({ params: { id } }, { read, nodes }, { dispatch, handling }) {
    const node = read.nodes.get(id);
    // A node that does not exist is rejected by the decider, unless this repeats the request that deleted it.
    const { removed, ...left } = node && !handling.isDryRun ? await nodes.cleanUp(node.id) : NOTHING_LEFT;
    const inbounds = read.inbounds.all().filter((inbound) => inbound.node === id).length;
    const done = dispatch({ type: 'DeleteNode', data: { node: id as NodeId } });
    return done instanceof Rejection
      ? done
      : new Message(deletionText(inbounds, { removed, ...left }), { inbounds, ...left });
  },

  setEnable({ params: { id }, body: { enable } }, { nodes }, { dispatch }) {
    const done = dispatch({ type: 'SetNodeEnabled', data: { node: id as NodeId, enabled: enable } });
    nodes.retry(id as NodeId);
    return messageOf(done, UPDATED);
  },

  async test({ body }, { nodes }, { say }) {
    // A node that is only tested needs no name.
    const spec = readSpec({ ...nodeDraft(body), name: 'test' });
    if (isText(spec)) return wireProbe({ status: 'offline', ...NO_LOAD, error: spec }, say);
    const token = (body.apiToken ?? '').trim();
    return tokenError(token) ?? wireProbe(await nodes.test({ ...spec, token }), say);
  },

  async probe({ params: { id } }, { read, nodes }, { say }) {
    const node = read.nodes.get(id);
    if (!node) return reject('NODE_NOT_FOUND', { node: id });
    const answer = await nodes.probe(node);
    nodes.retry(node.id);
    return wireProbe(answer, say);
  },

  sync({ params: { id } }, services, { say }) {
    const node = services.read.nodes.get(id);
    return node
      ? wireNodeSync({ read: services.read, nodes: services.nodes, say }, node)
      : reject('NODE_NOT_FOUND', { node: id });
  },

  history({ params: { id, metric, bucket } }, { read, nodeHistories }) {
    const known = metrics.get(metric);
    const width = widths.get(bucket);
    if (known === undefined) return reject('METRIC_INVALID', { value: metric.slice(0, 100), known: nodeMetrics });
    if (width === undefined) return reject('BUCKET_INVALID', { value: bucket.slice(0, 100) });
    const node = read.nodes.get(id);
    return node ? [...nodeHistories.history(node.id, known, width)] : reject('NODE_NOT_FOUND', { node: id });
  },
};

/** Rejects a private address that is not allowed for this node. Resolves names. */
async function addressRefusal({ web }: Needs<'web'>, draft: NodeDraft): Promise<Rejection | null> {
  const spec = validSpec(draft);
  if (spec instanceof Rejection) return spec;
  if (EXAMPLE.test(spec.host)) return null;
  const problem = await web.problem(nodeUrl(spec), { allowPrivate: spec.allowPrivateAddress });
  return problem === null ? null : reject('NODE_ADDRESS_PRIVATE', { host: spec.host });
}

/** Rejects the address of this panel itself. Null also when nothing responds there within a second. */
async function selfRefusal({ nodes }: Needs<'nodes'>, draft: NodeDraft, token: string): Promise<Rejection | null> {
  const spec = validSpec(draft);
  if (spec instanceof Rejection) return spec;
  if (EXAMPLE.test(spec.host)) return null;
  // This panel responds at once; a slower reply is that of another panel.
  const answer = await Promise.race([
    nodes.test({ ...spec, token: token.trim() }),
    sleep(SELF_MS, null, { ref: false }),
  ]);
  return answer?.error === SELF ? reject('NODE_IS_SELF') : null;
}

function deletionText(inbounds: number, { removed, remaining, kept }: Removal): Text {
  if (remaining > 0) return message('node.deletedNotCleaned');
  if (kept > 0) return message('node.deletedShared');
  if (inbounds === 0) return message('node.deleted');
  return message(removed === 0 ? 'node.deletedUnbound' : 'node.deletedCleaned');
}

function answerOf(services: Shown, say: HttpRequest['say'], id: number) {
  const node = services.read.nodes.get(id);
  return node ? wire(services, say, node) : null;
}

function wire({ read, nodes }: Shown, say: HttpRequest['say'], node: Node) {
  return wireNode(node, nodes.health(node.id), wireNodeSync({ read, nodes, say }, node), say);
}
