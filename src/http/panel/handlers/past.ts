import type { NodeId } from '../../../events/ids.js';
import type { HandlerCore, NodeServices } from '../context.js';

/** No node has this number. */
const NONE = 0 as NodeId;

/** The nodes at a moment of the past: the state of a connection is not recorded, so it is unknown. */
export function pastNodes({ nodes }: Pick<NodeServices, 'nodes'>): NodeServices['nodes'] {
  return {
    health: () => nodes.health(NONE),
    state: () => nodes.state(NONE),
    retryAt: (...[, inbound]) => nodes.retryAt(NONE, inbound),
    probe: (node) => nodes.probe(node),
    test: (address) => nodes.test(address),
    retry: (node) => nodes.retry(node),
    cleanUp: (node) => nodes.cleanUp(node),
  };
}

/** The core at a moment of the past: what ran is not recorded, so only the desired configuration is known. */
export function pastCore({ config, keys, inbounds }: HandlerCore): HandlerCore {
  return { config, keys, inbounds, process: { running: null, appliedTemplate: () => null, output: () => '' } };
}
